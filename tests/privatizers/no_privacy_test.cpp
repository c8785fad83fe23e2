#include <fltr/privatizers/no_privacy.hpp>

#include <limits>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("NoPrivacy sends messages unchanged and states no loss") {
  float const inf = std::numeric_limits<float>::infinity();
  auto const message = fltr::NoPrivacy{}.privatize(fltr::LocalWeights{{1.0F, -0.5F, inf}, 4}, {10, 4, {}});
  CHECK(message.values == std::vector<float>{1.0F, -0.5F, inf});
  CHECK(message.interactions == 4);
  STATIC_REQUIRE(!fltr::composition::NamesHook_loss<fltr::NoPrivacy>);
  STATIC_REQUIRE(!fltr::composition::NamesHook_constrain<fltr::NoPrivacy>);
}
