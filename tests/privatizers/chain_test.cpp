#include <fltr/privatizers/chain.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"

namespace {

using fltr::Chain;
using fltr::Clip;
using fltr::GammaNoise;
using fltr::GaussianNoise;
using fltr::LaplaceNoise;
using fltr::LocalWeights;
using fltr::PrivacyContext;

struct AddOne {
  void constrain(std::span<float> weights) const {
    for (float& w : weights) w += 1.0F;
  }
  LocalWeights privatize(LocalWeights m, PrivacyContext const&) const {
    constrain(m.values);
    return m;
  }
};
struct Double {
  void constrain(std::span<float> weights) const {
    for (float& w : weights) w *= 2.0F;
  }
  LocalWeights privatize(LocalWeights m, PrivacyContext const&) const {
    constrain(m.values);
    return m;
  }
};
/// Appends the first number of its stream to the message.
struct Draw {
  LocalWeights privatize(LocalWeights m, PrivacyContext const& context) const {
    m.values.push_back(static_cast<float>(context.streams.of(fltr::Purpose::privacy).uniform()));
    return m;
  }
};

/// Adds normal noise and does not clip.
struct Normal {
  LocalWeights privatize(LocalWeights m, PrivacyContext const& context) const {
    auto stream = context.streams.of(fltr::Purpose::privacy);
    for (float& v : m.values) v += static_cast<float>(stream.normal());
    return m;
  }
};

std::size_t distinct(std::vector<float> values) {
  std::ranges::sort(values);
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

}  // namespace

TEST_CASE("The links of a chain are applied from left to right") {
  LocalWeights const one{{1.0F}, 2};
  CHECK(Chain(AddOne{}, Double{}).privatize(one, {}).values == std::vector<float>{4.0F});
  CHECK(Chain(Double{}, AddOne{}).privatize(one, {}).values == std::vector<float>{3.0F});
  CHECK(Chain(AddOne{}, fltr::NoPrivacy{}, AddOne{}).privatize(one, {}).values == std::vector<float>{3.0F});
  CHECK(Chain(AddOne{}).privatize(one, {}).interactions == 2);

  std::vector<float> weights{1.0F};
  Chain(AddOne{}, Draw{}, Double{}).constrain(weights);  // Draw has no hook 'constrain'
  CHECK(weights == std::vector<float>{4.0F});
}

TEST_CASE("Every link of a chain has its own random numbers, also in a chain within a chain") {
  auto const chain = Chain(Draw{}, Chain(Draw{}, Draw{}), Draw{}, Chain(Chain(Draw{}), Draw{}, Draw{}), Draw{});
  std::vector<float> all;
  for (std::uint32_t round = 0; round < 3; ++round)
    for (std::uint32_t client = 0; client < 3; ++client) {
      auto const drawn = chain.privatize(LocalWeights{}, {1, 1, {.seed = 9, .round = round, .client = client}}).values;
      REQUIRE(drawn.size() == 8);
      all.insert(all.end(), drawn.begin(), drawn.end());
    }
  CHECK(distinct(all) == 72);  // two of 72 random floats of 24 bits are equal with probability 1.5e-4
  CHECK(chain.privatize(LocalWeights{}, {1, 1, {.seed = 9}}).values ==
        chain.privatize(LocalWeights{}, {1, 1, {.seed = 9}}).values);
}

TEST_CASE("The noises of two links are independent") {
  // Twice the same noise would have the standard deviation 2. The sum of independent noises has sqrt(2).
  LocalWeights const zeros{std::vector<float>(50'000), 1};
  auto const twice = Chain(Normal{}, Normal{}).privatize(zeros, {1, 1, {.seed = 4}});
  std::vector<double> const noise(twice.values.begin(), twice.values.end());
  CHECK(fltr::testing::ks_distance(noise, [](double x) { return fltr::testing::normal_cdf(x / std::sqrt(2.0)); }) <
        fltr::testing::ks_critical(noise.size()));
}

TEST_CASE("A chain applies the hook 'constrain' of all its links") {
  std::vector<float> weights{30.0F, 40.0F};
  Chain(Clip{.bound = 10.0}, GammaNoise{.epsilon = 1.0, .sensitivity = 2.0}).constrain(weights);
  CHECK(weights[0] == Approx(0.6).epsilon(1e-6));
  CHECK(weights[1] == Approx(0.8).epsilon(1e-6));
}

TEST_CASE("The losses of the links add up") {
  auto const loss = Chain(Clip{}, GammaNoise{.epsilon = 2.0, .sensitivity = 5.0, .colluding = 0},
                          LaplaceNoise{.epsilon = 0.5}, GaussianNoise{.epsilon = 1.0, .delta = 1e-5})
                        .loss({.asked = 50, .reported = 50, .dimension = 100, .interactions = 4});
  CHECK(loss.epsilon_nominal == Approx(3.5).epsilon(1e-15));
  CHECK(loss.epsilon_accounted == Approx(2.0 * 10.0 + 0.5 + 1.0).epsilon(1e-15));
  CHECK(loss.delta == 1e-5);
}

TEST_CASE("A chain is a Privatizer of a message if all its links are") {
  struct OnlyIntegers {
    int privatize(int m, PrivacyContext const&) const { return m; }
  };
  STATIC_REQUIRE(fltr::Privatizer<Chain<Clip, GammaNoise>>);
  STATIC_REQUIRE(fltr::Privatizer<Chain<Chain<Clip>, LaplaceNoise>>);
  STATIC_REQUIRE(!fltr::Privatizer<Chain<Clip, OnlyIntegers>>);
}

TEST_CASE("A chain without a link that states a loss has no loss") {
  static_assert(!fltr::composition::NamesHook_loss<fltr::Chain<fltr::Clip>>);
  static_assert(fltr::composition::NamesHook_loss<fltr::Chain<fltr::Clip, fltr::GammaNoise>>);
  SUCCEED();
}
