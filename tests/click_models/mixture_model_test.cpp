#include <fltr/click_models/mixture_model.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/statistics.hpp"

using fltr::CascadeModel;
using fltr::Grade;
using fltr::MixtureModel;
using fltr::Stream;

TEST_CASE("A MixtureModel draws one behaviour for a whole list, each equally often") {
  // One user clicks every document, one clicks grade 1 only, one clicks nothing. The clicks show which one was drawn.
  MixtureModel<CascadeModel> const mixture{{{{1, 1}, {0, 0}}, {{0, 1}, {0, 0}}, {{0, 0}, {0, 0}}}};
  std::array<Grade, 4> const grades{0, 1, 0, 1};
  std::array<std::uint8_t, 4> clicks{};
  std::array<std::uint64_t, 3> counts{};
  Stream stream(141);
  for (int list = 0; list < 30'000; ++list) {
    mixture.click(grades, clicks, stream);
    REQUIRE(clicks[0] == clicks[2]);
    REQUIRE(clicks[1] == clicks[3]);
    ++counts[2U - clicks[0] - clicks[1]];
  }
  CHECK(fltr::testing::chi_squared(counts) < fltr::testing::chi2_critical_df2);
}

TEST_CASE("A MixtureModel without behaviours is refused") {
  MixtureModel<CascadeModel> const none;
  std::vector<std::uint8_t> clicks(1);
  Stream stream(1);
  CHECK_THROWS_WITH(none.click(std::vector<Grade>{0}, clicks, stream),
                    "MixtureModel: required at least one behaviour, got 0");
}
