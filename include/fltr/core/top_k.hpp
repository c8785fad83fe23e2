#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/detail/key_ranks.hpp>
#include <fltr/core/lane_sum.hpp>

namespace fltr {

/// Which of two documents with equal scores ranks first.
enum class TieOrder : std::uint8_t {
  row,      ///< the document with the lower row number (as LightGBM and XGBoost do)
  reverse,  ///< the document with the higher row number: shows how much a result depends on the order of the file
};

/// Finds the documents with the highest scores. Keeps its buffers from one call to the next.
///
/// The positions of the best documents are random, and a mispredicted branch costs more than a comparison. So no branch
/// depends on a score. For up to `few` documents the rank of each document is counted: every pair is compared, eight
/// pairs at a time. Longer lists are first reduced to the documents that can be among the k best.
class TopK {
 public:
  explicit TopK(TieOrder ties = TieOrder::row) : ties_(ties) {}

  /// Writes the k documents with the highest scores into `order`, best first; all documents for k ≥ n. NaN ranks last.
  void operator()(std::span<float const> scores, std::size_t k, std::vector<std::uint32_t>& order) {
    std::size_t const n = scores.size();
    k = std::min(k, n);
    order.resize(k);
    if (k == 0) return;
    if (n <= counted) {
      count_all(scores, k, order);
      return;
    }
    keys_.resize((n + columns - 1) / columns * columns);
    for (std::size_t i = 0; i < n; ++i) keys_[i] = key_of(scores[i]);
    std::fill(keys_.begin() + static_cast<std::ptrdiff_t>(n), keys_.end(), lowest);
    if (k <= columns && n > 2 * k)
      keep_from(nth_column(k), n);
    else if (n <= few)
      keep_from(lowest, n);
    else
      kept_ = n;
    if (kept_ <= few)
      count(k, order);
    else
      sort(n, k, order);
  }

 private:
  static constexpr std::size_t few = 64;  // the largest number of documents whose ranks are counted
  // Lists of up to this length are not reduced: a comparison of all pairs is faster.
  static constexpr std::size_t counted = detail::native_integers >= 8 ? 48 : 24;
  static constexpr std::size_t columns = 32;  // into which longer lists are divided; half as many for k ≤ 10
  static constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();

  /// An integer with the order of the scores: −0 equals 0, and NaN is below −∞.
  [[nodiscard]] static std::int32_t key_of(float score) {
    auto const bits = std::bit_cast<std::int32_t>(score + 0.0F);
    std::int32_t const rising = bits ^ ((bits >> 31) & 0x7FFF'FFFF);
    return score == score ? rising : lowest;
  }

  /// The k-th largest of the maxima of the columns. At least k documents reach this value, and few others do.
  [[nodiscard]] std::int32_t nth_column(std::size_t k) const {
    std::array<std::int32_t, columns> best;
    std::array<std::int32_t, columns> ranks;
    std::size_t const width = k <= 10 ? columns / 2 : columns;
    best.fill(lowest);
    for (std::size_t i = 0; i < keys_.size(); i += width) detail::keep_larger(&keys_[i], std::span(best).first(width));
    detail::key_ranks(std::span(best).first(width), std::span(ranks).first(width));
    std::int32_t nth = lowest;
    for (std::size_t c = 0; c < width; ++c) nth = ranks[c] == static_cast<std::int32_t>(k) - 1 ? best[c] : nth;
    return nth;
  }

  /// Keeps the documents whose keys reach the threshold. Their order is that of documents with equal scores.
  void keep_from(std::int32_t threshold, std::size_t n) {
    documents_.resize(n);
    kept_keys_.resize(std::max(n, few));
    kept_ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const document = ties_ == TieOrder::row ? i : n - 1 - i;
      std::int32_t const key = keys_[document];
      documents_[kept_] = static_cast<std::uint32_t>(document);
      kept_keys_[kept_] = key;
      kept_ += key >= threshold ? 1 : 0;
    }
  }

  /// Orders all documents of a short list.
  void count_all(std::span<float const> scores, std::size_t k, std::vector<std::uint32_t>& order) const {
    std::array<std::int32_t, few> keys;
    std::array<std::int32_t, few> ranks;
    std::array<std::uint32_t, few> ranked;
    std::size_t const n = scores.size();
    std::size_t const padded = (n + simd::lanes - 1) / simd::lanes * simd::lanes;
    auto const place = [&](std::size_t i) { return ties_ == TieOrder::row ? i : n - 1 - i; };
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_of(scores[place(i)]);
    std::fill(keys.begin() + static_cast<std::ptrdiff_t>(n), keys.begin() + static_cast<std::ptrdiff_t>(padded),
              lowest);
    detail::key_ranks(std::span(keys).first(padded), std::span(ranks).first(padded));
    for (std::size_t i = 0; i < n; ++i)
      ranked[static_cast<std::size_t>(ranks[i])] = static_cast<std::uint32_t>(place(i));
    std::copy_n(ranked.begin(), k, order.begin());
  }

  /// Orders the kept documents by counting their ranks.
  void count(std::size_t k, std::vector<std::uint32_t>& order) {
    std::array<std::int32_t, few> ranks;
    std::array<std::uint32_t, few> ranked;
    std::size_t const padded = (kept_ + simd::lanes - 1) / simd::lanes * simd::lanes;
    std::fill(kept_keys_.begin() + static_cast<std::ptrdiff_t>(kept_),
              kept_keys_.begin() + static_cast<std::ptrdiff_t>(padded), lowest);
    detail::key_ranks(std::span(kept_keys_).first(padded), std::span(ranks).first(padded));
    for (std::size_t i = 0; i < kept_; ++i) ranked[static_cast<std::size_t>(ranks[i])] = documents_[i];
    std::copy_n(ranked.begin(), k, order.begin());
  }

  /// For long lists with a large k or with many equal scores.
  void sort(std::size_t n, std::size_t k, std::vector<std::uint32_t>& order) {
    whole_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t const high = static_cast<std::uint32_t>(keys_[i]) ^ 0x8000'0000U;
      auto const row = static_cast<std::uint32_t>(i);
      whole_[i] = (high << 32U) | (ties_ == TieOrder::row ? ~row : row);
    }
    auto const descending = [](std::uint64_t a, std::uint64_t b) { return a > b; };
    if (k == n)
      std::sort(whole_.begin(), whole_.end(), descending);
    else
      std::partial_sort(whole_.begin(), whole_.begin() + static_cast<std::ptrdiff_t>(k), whole_.end(), descending);
    for (std::size_t r = 0; r < k; ++r) {
      auto const low = static_cast<std::uint32_t>(whole_[r]);
      order[r] = ties_ == TieOrder::row ? ~low : low;
    }
  }

  TieOrder ties_;
  std::vector<std::int32_t> keys_;
  std::vector<std::int32_t> kept_keys_;
  std::vector<std::uint32_t> documents_;
  std::size_t kept_ = 0;
  std::vector<std::uint64_t> whole_;
};

/// TopK for a single list.
inline void top_k(std::span<float const> scores, std::size_t k, std::vector<std::uint32_t>& order,
                  TieOrder ties = TieOrder::row) {
  TopK{ties}(scores, k, order);
}

}  // namespace fltr
