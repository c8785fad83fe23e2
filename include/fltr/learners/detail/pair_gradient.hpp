#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/eight_doubles.hpp>
#include <fltr/core/native_vector.hpp>
#include <fltr/learners/detail/swap_odds.hpp>

namespace fltr::detail {

/// ρ · e^a e^b / (e^a + e^b)² for the odds (1 − ρ) / ρ and the masses e^a and e^b, as a double or a DoubleVector. Both
/// masses are first divided by the power of two of the larger one, because their product may underflow.
template <class V>
[[nodiscard, gnu::always_inline]] inline V pair_weight(V odds, V a, V b) {
  using Words = typename simd::WordsOf<V>::type;
  V const larger = a > b ? a : b;
  // The exponent bits of 2^−e for a normal number of exponent e.
  Words const power =
      (Words{} + (std::uint64_t{2046} << 52U)) - (std::bit_cast<Words>(larger) & (std::uint64_t{2047} << 52U));
  V const scale = std::bit_cast<V>(power);
  V const scaled_a = a * scale;
  V const scaled_b = b * scale;
  V const sum = scaled_a + scaled_b;
  return simd::rounded_product(scaled_a, scaled_b) / simd::rounded_product(simd::rounded_product(sum, sum), 1.0 + odds);
}

/// Adds the weight of each pair of a clicked and an unclicked document among the first clicks.size() ranks to the
/// score_gradient of the clicked document, and subtracts it from that of the other. The pairs of equal distance are
/// computed at once, also those without a click: a branch that depends on a click is often mispredicted.
inline void add_pair_gradient(SwapOdds const& odds, std::span<std::uint8_t const> clicks,
                              std::span<std::uint32_t const> order, std::span<float> score_gradient) {
  constexpr std::size_t block = SwapOdds::block;
  std::size_t const end = clicks.size();
  auto const clicked = odds.spare();
  for (std::size_t i = 0; i < end; ++i) clicked[i] = clicks[i] != 0 ? 1.0 : 0.0;
  std::ranges::fill(clicked.subspan(end), 0.0);
  static constexpr std::array<double, block> lane_numbers{0, 1, 2, 3, 4, 5, 6, 7};
  auto const numbers = simd::EightDoubles::load(lane_numbers.data());
  std::array<double, block> weights;
  for (std::size_t first = 0; first < end; first += block) {
    auto sums = simd::EightDoubles::filled(0.0);
    auto const masses = odds.masses(first);
    auto const low_clicked = simd::EightDoubles::load(&clicked[first]);
    for (std::size_t distance = 1; first + distance < end; ++distance) {
      std::size_t const pairs = std::min(block, end - first - distance);
      auto const count = static_cast<double>(pairs);
      auto const signs = simd::EightDoubles::each(
          [=](auto high, auto low, auto number) { return number < count ? high - low : decltype(low){}; },
          simd::EightDoubles::load(&clicked[first + distance]), low_clicked, numbers);
      auto const signed_weights =
          simd::EightDoubles::each([](auto sign, auto o, auto a, auto b) { return sign * pair_weight(o, a, b); }, signs,
                                   odds.of_distance(distance, first), masses, odds.masses(first + distance));
      sums += signed_weights;
      signed_weights.store(weights.data());
      for (std::size_t i = 0; i < pairs; ++i)
        score_gradient[order[first + distance + i]] += static_cast<float>(weights[i]);
    }
    sums.store(weights.data());
    for (std::size_t i = 0; i < std::min(block, end - first); ++i)
      score_gradient[order[first + i]] -= static_cast<float>(weights[i]);
  }
}

}  // namespace fltr::detail
