#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <fltr/boosting/detail/binned_features.hpp>
#include <fltr/boosting/detail/gradient_sum.hpp>

namespace fltr::detail {

/// The gradient sums of the documents of a leaf, by column and bin.
class Histograms {
 public:
  static constexpr std::size_t bins = 256;  ///< of a column, including unused ones

  Histograms() = default;
  explicit Histograms(BinnedFeatures const& data) : sums_(data.panel_count() * width * stride) {}

  [[nodiscard]] std::span<GradientSum> column(std::size_t c) & noexcept { return {sums_.data() + c * stride, bins}; }
  [[nodiscard]] std::span<GradientSum const> column(std::size_t c) const& noexcept {
    return {sums_.data() + c * stride, bins};
  }
  void column(std::size_t) const&& = delete;
  [[nodiscard]] bool empty() const noexcept { return sums_.empty(); }

  /// Builds the histograms of the columns of one panel. `sums` has the gradient sum of each document, in the same
  /// order.
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
  /// Columns are 4 kB and one cache line apart. With 4 kB, the same bin of all columns would be in one set of the
  /// cache, which is slow for documents whose features are all 0.
  static constexpr std::size_t stride = bins + 4;

  /// The offset of a bin in bytes is 16 times its number: a shift and a mask of the word give it.
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

}  // namespace fltr::detail
