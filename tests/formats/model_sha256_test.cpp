#include <fltr/formats/model_sha256.hpp>

#include <string>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/forests.hpp"

TEST_CASE("The SHA-256 of a linear model is that of its name, a zero byte and its weights") {
  // printf 'linear\0\0\0\300?\0\0\020\300' | sha256sum
  fltr::LinearRanker const ranker(std::vector<float>{1.5F, -2.25F});
  CHECK(fltr::model_sha256(ranker) == "04b5699403eb70e9d719ffbb556cc2555a8579af0cbcac960adcffe184f3ef45");
}

TEST_CASE("The SHA-256 of a model depends on the name and on every parameter") {
  std::vector<float> const weights{1, 2, 3};
  fltr::LinearRanker linear(weights);
  auto const before = fltr::model_sha256(linear);
  CHECK(fltr::model_sha256(fltr::LinearRanker(weights)) == before);
  linear.parameters()[2] = 4;
  CHECK(fltr::model_sha256(linear) != before);

  fltr::NeuralRanker neural(1, {.hidden = 1});
  std::vector<float> const parameters(neural.parameters().begin(), neural.parameters().end());
  CHECK(fltr::model_sha256(neural) != fltr::model_sha256(fltr::LinearRanker(parameters)));
}

TEST_CASE("The SHA-256 of a forest is that of its name, a zero byte and its fields") {
  using fltr::testing::stump;
  fltr::Forest const forest({stump(0, 1, 2)}, 2);
  fltr::Sha256 hash;
  hash.update(std::string_view("forest\0", 7));
  hash.update(fltr::field_bytes(forest));
  CHECK(fltr::model_sha256(forest) == hash.hex());
  CHECK(fltr::model_sha256(fltr::Forest({stump(0, 1, 3)}, 2)) != hash.hex());
}
