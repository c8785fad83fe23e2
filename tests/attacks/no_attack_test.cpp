#include <fltr/attacks/no_attack.hpp>

#include "support/catch.hpp"

TEST_CASE("NoAttack has no malicious client and no hook") {
  for (fltr::ClientId const client : {0U, 1U, 0xFFFFFFFFU}) CHECK_FALSE(fltr::NoAttack{}.malicious.contains(client));
  STATIC_REQUIRE(!fltr::composition::NamesHook_poison<fltr::NoAttack>);
  STATIC_REQUIRE(!fltr::composition::NamesHook_clicks<fltr::NoAttack>);
}
