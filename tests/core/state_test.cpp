#include <fltr/core/state.hpp>

#include <type_traits>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"

namespace {

struct Stateless {};
struct Counting {
  struct State {
    int rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };
};

}  // namespace

TEST_CASE("State is the nested State of a policy, or NoState") {
  STATIC_REQUIRE(std::is_same_v<fltr::State<Stateless>, fltr::NoState>);
  STATIC_REQUIRE(std::is_same_v<fltr::State<Counting>, Counting::State>);
  STATIC_REQUIRE(std::is_empty_v<fltr::NoState>);
  CHECK(fltr::field_bytes(fltr::NoState{}).empty());
}
