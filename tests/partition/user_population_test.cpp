#include <fltr/partition/user_population.hpp>

#include "support/catch.hpp"

using fltr::UserClient;
using fltr::UserPopulation;

TEST_CASE("Copies of a UserPopulation share clients and names") {
  UserPopulation const clients({{0, 4, {}}, {1, 4, {}}}, {"ann", "bob"});
  UserPopulation const copy = clients;
  CHECK(copy.size() == 2);
  CHECK(&copy[1] == &clients[1]);
  CHECK(copy.name_of(1) == "bob");
}

TEST_CASE("A UserPopulation needs a user, and a name for each") {
  CHECK_THROWS_WITH(UserPopulation({}, {}), "UserPopulation: required at least one user, got 0");
  CHECK_THROWS_WITH(UserPopulation({UserClient{}}, {}), "UserPopulation: required one name for each user, got 0");
}
