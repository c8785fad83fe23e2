#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <fltr/learners/binning.hpp>
#include <fltr/learners/gradient_sum.hpp>

namespace fltr {

/// What the documents of a leaf add up to in each bin of each column.
class Histograms {
 public:
  static constexpr std::size_t bins = 256;  ///< of a column, used or not
  static constexpr std::size_t width = BinnedFeatures::width;

  Histograms() = default;
  explicit Histograms(BinnedFeatures const& data) : sums_(data.panel_count() * width * bins) {}

  [[nodiscard]] std::span<GradientSum> column(std::size_t c) noexcept { return {&sums_[c * bins], bins}; }
  [[nodiscard]] std::span<GradientSum const> column(std::size_t c) const noexcept { return {&sums_[c * bins], bins}; }
  [[nodiscard]] bool empty() const noexcept { return sums_.empty(); }

  /// The histograms of the columns of one panel, made of these documents; `sums` holds theirs in the same order.
  void build(BinnedFeatures const& data, std::size_t panel, std::span<std::uint32_t const> documents,
             std::span<GradientSum const> sums) {
    GradientSum* const out = &sums_[panel * width * bins];
    std::fill_n(out, width * bins, GradientSum{});
    std::uint8_t const* const rows = data.panel(panel);
    constexpr std::size_t ahead = 24;
    std::size_t const n = documents.size();
    std::size_t const prefetched = n > ahead ? n - ahead : 0;
    for (std::size_t i = 0; i < prefetched; ++i) {
      __builtin_prefetch(rows + std::size_t{documents[i + ahead]} * width);
      add(rows + std::size_t{documents[i]} * width, sums[i], out);
    }
    for (std::size_t i = prefetched; i < n; ++i) add(rows + std::size_t{documents[i]} * width, sums[i], out);
  }

 private:
  static_assert(width == 16, "a row of a panel is two words");

  static void add(std::uint8_t const* row, GradientSum const& sum, GradientSum* out) noexcept {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, row, 8);
    std::memcpy(&high, row + 8, 8);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) out[k * bins + (low >> (8 * k) & 0xFFU)] += sum;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) out[(8 + k) * bins + (high >> (8 * k) & 0xFFU)] += sum;
  }

  std::vector<GradientSum> sums_;
};

}  // namespace fltr
