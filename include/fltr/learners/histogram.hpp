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

  Histograms() = default;
  explicit Histograms(BinnedFeatures const& data) : sums_(data.panel_count() * width * stride) {}

  [[nodiscard]] std::span<GradientSum> column(std::size_t c) & noexcept { return {sums_.data() + c * stride, bins}; }
  [[nodiscard]] std::span<GradientSum const> column(std::size_t c) const& noexcept {
    return {sums_.data() + c * stride, bins};
  }
  void column(std::size_t) const&& = delete;
  [[nodiscard]] bool empty() const noexcept { return sums_.empty(); }

  /// The histograms of the columns of one panel, made of these documents; `sums` holds theirs in the same order.
  void build(BinnedFeatures const& data, std::size_t panel, std::span<std::uint32_t const> documents,
             std::span<GradientSum const> sums) {
    GradientSum* const out = sums_.data() + panel * width * stride;
    std::fill_n(out, width * stride, GradientSum{});
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
  static constexpr std::size_t width = BinnedFeatures::width;
  static_assert(width == 8, "a row of a panel is one word");
  /// Columns are a cache line more than 4 kB apart: the same bin of all columns, as of a document full of zeros, would
  /// otherwise meet in one set of the cache.
  static constexpr std::size_t stride = bins + 4;

  /// The place is counted in bytes, so that a shift and a mask find it: 16 times the bin.
  static void add(std::uint8_t const* row, GradientSum sum, GradientSum* out) noexcept {
    static_assert(sizeof sum == 16);
    std::uint64_t word = 0;
    std::memcpy(&word, row, sizeof word);
    auto* const bytes = reinterpret_cast<std::byte*>(out);
#pragma GCC unroll 8
    for (std::size_t k = 0; k < width; ++k) {
      std::size_t const place = (k == 0 ? word << 4U : word >> (8 * k - 4)) & 0xFF0U;
      *reinterpret_cast<GradientSum*>(bytes + k * stride * sizeof sum + place) += sum;
    }
  }

  std::vector<GradientSum> sums_;
};

}  // namespace fltr
