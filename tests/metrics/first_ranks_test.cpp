#include <fltr/metrics/first_ranks.hpp>

#include <span>
#include <vector>

#include "support/catch.hpp"

namespace {

using Grade = unsigned char;

}  // namespace

TEST_CASE("first_ranks: a cutoff of 0 is the whole list") {
  std::vector<Grade> const list{1, 2, 3};
  std::span<Grade const> const all(list);
  CHECK(fltr::first_ranks(all, 0).size() == 3);
  CHECK(fltr::first_ranks(all, 2).size() == 2);
  CHECK(fltr::first_ranks(all, 3).size() == 3);
  CHECK(fltr::first_ranks(all, 99).size() == 3);
  CHECK(fltr::first_ranks(std::span<Grade const>(), 10).empty());
}
