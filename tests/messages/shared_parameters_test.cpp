#include <fltr/messages/shared_parameters.hpp>

#include <span>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace {

struct Whole {
  std::vector<float> weights{1, 2, 3};
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
};
struct Personal : Whole {
  std::span<float> shared() { return parameters().subspan(1); }
  std::span<float const> shared() const { return parameters().subspan(1); }
};

}  // namespace

TEST_CASE("shared_parameters returns all parameters, or those of the ranker's hook 'shared'") {
  Whole whole;
  Personal personal;
  CHECK(fltr::shared_parameters(whole).size() == 3);
  CHECK(fltr::shared_parameters(personal).size() == 2);
  fltr::shared_parameters(whole)[0] = 7.0F;
  fltr::shared_parameters(personal)[0] = 8.0F;
  CHECK(whole.weights == std::vector<float>{7, 2, 3});
  CHECK(personal.weights == std::vector<float>{1, 8, 3});
  Personal const constant;
  STATIC_REQUIRE(std::is_same_v<decltype(fltr::shared_parameters(constant)), std::span<float const>>);
}
