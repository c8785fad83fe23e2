// same bits: f4e29be6e87ca445
// flags: -ffp-contract=off
//
// Every distribution of Stream, discrete noise, and the noise of the privatizers.
#include <fltr/core/discrete_noise.hpp>
#include <fltr/core/random.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "probe.hpp"

int main() {
  Probe probe;
  fltr::Stream stream(2);
  constexpr int count = 5000;
  for (int i = 0; i < count; ++i) {
    probe.add(stream.uniform());
    probe.add(std::uint64_t{stream.bernoulli(0.3)});
    probe.add(std::uint64_t{stream.below(1'000'003)});
    probe.add(stream.below64(1'000'000'000'039));
  }
  probe.part("uniform");
  for (int i = 0; i < count; ++i) probe.add(stream.normal());
  probe.part("normal");
  for (double const shape : {1e-3, 0.3, 1.0, 4.5})
    for (int i = 0; i < count; ++i) probe.add(stream.gamma(shape));
  probe.part("gamma");
  for (int i = 0; i < count; ++i) probe.add(stream.laplace(1.7));
  probe.part("laplace");
  std::array<double, 5> const weights{0.1, 2.0, 0.0, 0.7, 1.3};
  std::array<int, 9> items{1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (int i = 0; i < count; ++i) {
    probe.add(std::uint64_t{stream.categorical(weights)});
    stream.shuffle(std::span<int>(items));
    probe.add(static_cast<std::uint64_t>(items[0]));
  }
  probe.part("categorical and shuffle");
  for (int i = 0; i < count / 10; ++i) {
    probe.add(static_cast<std::uint64_t>(fltr::discrete_laplace(stream, 1'000'000)));
    probe.add(static_cast<std::uint64_t>(fltr::discrete_gaussian(stream, 1'000'000)));
  }
  probe.part("discrete noise");
  std::vector<float> values(61);
  for (float& v : values) v = static_cast<float>(stream.normal());
  auto const privatize = [&](auto const& privatizer, char const* name) {
    for (std::uint32_t const asked : {1U, 2U, 50U, 1000U})
      for (std::uint32_t client = 0; client < 20; ++client) {
        auto const sent =
            privatizer.privatize(fltr::LocalWeights{values, 4}, {asked, 4, {.seed = 3, .client = client}});
        for (float const v : sent.values) probe.add(v);
      }
    probe.part(name);
  };
  privatize(fltr::Clip{}, "Clip");
  privatize(fltr::GammaNoise{}, "GammaNoise");
  privatize(fltr::LaplaceNoise{}, "LaplaceNoise");
  for (double const epsilon : {0.1, 1.0, 8.0}) privatize(fltr::GaussianNoise{.epsilon = epsilon}, "GaussianNoise");
  probe.print();
}
