#include <fltr/click_models/by_click_behaviour.hpp>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using fltr::ByClickBehaviour;
using fltr::CascadeModel;
using fltr::PositionModel;

TEST_CASE("Type 3 with cascade clicks: perfect, navigational and informational clients in turn") {
  for (std::size_t const grades : {2U, 3U, 5U}) {
    auto const clicks = ByClickBehaviour<>::cascade(grades).per_client();
    REQUIRE(clicks.behaviours.size() == 3);
    for (fltr::ClientId const client : {0U, 3U, 300U})
      CHECK(fltr::clicks_of(clicks, client).click_probability == CascadeModel::perfect(grades).click_probability);
    CHECK(fltr::clicks_of(clicks, 4).stop_probability == CascadeModel::navigational(grades).stop_probability);
    CHECK(fltr::clicks_of(clicks, 5).click_probability == CascadeModel::informational(grades).click_probability);
  }
  CHECK_THROWS_AS(ByClickBehaviour<>::cascade(4), std::invalid_argument);
}

TEST_CASE("Type 3 with position-based clicks: the exponents 0, 0.5, 1, 1.5 and 2 with the perfect table") {
  auto const types = ByClickBehaviour<PositionModel>::position(5);
  auto const clicks = types.per_client();
  std::vector<double> exponents;
  for (fltr::ClientId client = 0; client < 5; ++client) {
    exponents.push_back(clicks.of(client).exponent);
    CHECK(clicks.of(client).attractive == std::vector<double>{0, .2, .4, .8, 1});
  }
  CHECK(exponents == std::vector<double>{0, .5, 1, 1.5, 2});
  CHECK(types.mixture().behaviours.size() == 5);
}
