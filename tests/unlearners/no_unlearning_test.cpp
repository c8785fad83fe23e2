#include <fltr/unlearners/no_unlearning.hpp>

#include <cstdint>

#include "support/catch.hpp"

TEST_CASE("NoUnlearning keeps nothing of any round and has no hook") {
  for (std::uint32_t const round : {1U, 2U, 1000U}) CHECK_FALSE(fltr::NoUnlearning{}.keeps(round));
  STATIC_REQUIRE(!fltr::composition::NamesHook_record<fltr::NoUnlearning>);
  STATIC_REQUIRE(!fltr::composition::NamesHook_unlearn<fltr::NoUnlearning>);
}
