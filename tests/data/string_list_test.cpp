#include <fltr/data/string_list.hpp>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"

using fltr::StringList;

TEST_CASE("A StringList returns its strings, also empty ones, and survives a copy through bytes") {
  StringList list;
  CHECK(list.empty());
  list.push_back("");
  list.push_back("abc");
  list.push_back("");
  list.push_back("d");
  REQUIRE(list.size() == 4);
  CHECK(list[0].empty());
  CHECK(list[1] == "abc");
  CHECK(list[2].empty());
  CHECK(list[3] == "d");
  StringList copy;
  auto const bytes = fltr::field_bytes(list);
  fltr::FieldReader(bytes).read(copy);
  REQUIRE(copy.size() == 4);
  CHECK(copy[3] == "d");
}
