#include <fltr/formats/detail/timestamp.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

using fltr::detail::parse_timestamp;

TEST_CASE("Timestamps are ordered by time") {
  std::vector<std::string> const times{"2005-12-31 23:59:59", "2006-01-01",          "2006-01-01 00:00:01",
                                       "2006-01-31T23:59:59", "2006-02-01 00:00:00", "2006-02-01 00:01:00",
                                       "2006-02-01 01:00:00", "2006-12-31 00:00:00", "2007-01-01 00:00:00"};
  for (std::size_t i = 1; i < times.size(); ++i) {
    INFO(times[i]);
    REQUIRE(parse_timestamp(times[i]).has_value());
    CHECK(*parse_timestamp(times[i - 1]) < *parse_timestamp(times[i]));
  }
  CHECK(parse_timestamp("1141197432") == 1141197432);
  CHECK(parse_timestamp("-5") == -5);
  CHECK(parse_timestamp("2006-01-01") == parse_timestamp("2006-01-01 00:00:00"));
}

TEST_CASE("Text that is not a time is refused") {
  for (char const* const text : {"", "x", "12.5", "2006-13-01", "2006-00-01", "2006-01-32", "2006-01-01 24:00:00",
                                 "2006-01-01 00:60:00", "2006-01-01 00:00", "2006-01-01x00:00:00", "2006-1-1",
                                 "2006-01-01 00:00:00.5", "20060-01-01", "99999999999999999999"}) {
    INFO(text);
    CHECK(!parse_timestamp(text).has_value());
  }
}
