#include <fltr/click_models/per_client.hpp>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>

#include "support/catch.hpp"

namespace {

using fltr::CascadeModel;
using fltr::PerClient;

}  // namespace

TEST_CASE("Client c follows behaviour c modulo the number of behaviours") {
  PerClient<CascadeModel> const users{
      {CascadeModel::perfect(2), CascadeModel::navigational(2), CascadeModel::poison(2)}};
  CHECK(users.of(0).click_probability == CascadeModel::perfect(2).click_probability);
  CHECK(users.of(1).click_probability == CascadeModel::navigational(2).click_probability);
  CHECK(users.of(5).click_probability == CascadeModel::poison(2).click_probability);
  CHECK(users.of(0xFFFFFFFFU).click_probability ==
        CascadeModel::perfect(2).click_probability);  // 2^32 - 1 is a multiple of 3
  CHECK(&fltr::clicks_of(users, 4) == &users.behaviours[1]);
}

TEST_CASE("PerClient without a client clicks like the first behaviour") {
  PerClient<CascadeModel> const users{{CascadeModel::poison(2), CascadeModel::perfect(2)}};
  fltr::Stream stream(73);
  std::vector<fltr::Grade> const list{0, 1};
  std::vector<std::uint8_t> clicks(2);
  users.click(list, clicks, stream);
  CHECK(clicks == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("PerClient without a behaviour is refused") {
  PerClient<CascadeModel> const none{};
  CHECK_THROWS_AS(none.of(0), std::invalid_argument);
}
