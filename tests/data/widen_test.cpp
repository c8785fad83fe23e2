#include <fltr/data/widen.hpp>

#include <string>
#include <utility>

#include <fltr/data/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"

using fltr::parse_letor;
using fltr::widen;

TEST_CASE("a widened dataset is the one that was read with more features") {
  std::string const text = "1 qid:a 1:1 7:7 #docid = A1\n2 qid:b 2:2\n0 qid:b 6:3\n";
  for (std::size_t const features : {7U, 8U, 9U, 16U, 17U, 700U})
    CHECK(fltr::testing::same_dataset(widen(parse_letor(text, "x"), features),
                                      parse_letor(text, "x", {.feature_count = features})));
  CHECK_THROWS_AS(widen(parse_letor(text, "x"), 6), std::invalid_argument);
}

TEST_CASE("widening within the padding costs nothing") {
  auto data = parse_letor("1 qid:a 1:1 7:7\n", "x");
  auto const* const before = data.parts().features.data();
  auto const widened = widen(std::move(data), 8);
  CHECK(widened.parts().features.data() == before);
}
