#include <array>
#include <cstdint>
#include <vector>

#include <fltr/core/tensor.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/learners/detail/click_agreement.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

using namespace fltr;

namespace {

/// Five documents; feature 0 is 0, 1, 2, 3, 4, and feature 1 is 7 in all of them.
Dataset five() {
  Matrix<float> rows({5, 2});
  for (std::size_t i = 0; i < 5; ++i) {
    rows(i, 0) = static_cast<float>(i);
    rows(i, 1) = 7.0F;
  }
  std::vector<Grade> const grades(5, 0);
  std::vector<std::size_t> const sizes{5};
  return make_dataset(rows, grades, sizes);
}

double agreement(std::vector<float> weights, std::array<std::uint8_t, 5> clicks) {
  auto const data = five();
  std::array<std::uint32_t, 5> const order{3, 0, 4, 1, 2};
  detail::ClickAgreement measured;
  REQUIRE(measured.take(data[0], order, clicks));
  return measured.of(LinearRanker(std::move(weights)));
}

}  // namespace

TEST_CASE("The agreement is the share of pairs of a clicked and an examined unclicked document in the user's order") {
  // Clicked: document 4 at rank 3. Examined: ranks 1 to 4, documents 3, 0, 4, 1.
  CHECK(agreement({1.0F, 0.0F}, {0, 0, 1, 0, 0}) == 1.0);
  CHECK(agreement({-1.0F, 0.0F}, {0, 0, 1, 0, 0}) == 0.0);
  CHECK(agreement({0.0F, 1.0F}, {0, 0, 1, 0, 0}) == 0.5);  // equal scores
  // Clicked: documents 3 and 1. All are examined. Pairs with 0, 4, 2: 3 is above 0 and 2; 1 is above 0.
  CHECK(agreement({1.0F, 0.0F}, {1, 0, 0, 1, 0}) == 3.0 / 6.0);
  // Clicked: document 3 at rank 1. Only document 0 was examined besides.
  CHECK(agreement({1.0F, 0.0F}, {1, 0, 0, 0, 0}) == 1.0);
}

TEST_CASE("A list without a click, or without an unclicked examined document, is not measured") {
  auto const data = five();
  std::array<std::uint32_t, 5> const order{3, 0, 4, 1, 2};
  detail::ClickAgreement measured;
  CHECK_FALSE(measured.take(data[0], order, std::array<std::uint8_t, 5>{0, 0, 0, 0, 0}));
  CHECK_FALSE(measured.take(data[0], order, std::array<std::uint8_t, 5>{1, 1, 1, 1, 1}));
  CHECK_FALSE(measured.take(data[0], {}, {}));
}
