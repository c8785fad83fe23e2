#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fltr {

/// Which of two documents with the same score comes first.
enum class TieOrder : std::uint8_t {
  row,      ///< the one that stands first in the data (LightGBM, XGBoost)
  reverse,  ///< the one that stands last: how much a result owes to the order of the file
};

/// Finds the documents of the highest scores. Keeps its buffers from one call to the next.
class TopK {
 public:
  explicit TopK(TieOrder ties = TieOrder::row) : ties_(ties) {}

  /// The k documents of the highest scores, best first (all of them for k ≥ n), into `order`. A score that is not a
  /// number ranks last. For small k, O(n + k · n / 8) without a branch that depends on the scores.
  void operator()(std::span<float const> scores, std::size_t k, std::vector<std::uint32_t>& order) {
    std::size_t const n = scores.size();
    k = std::min(k, n);
    order.resize(k);
    if (k == 0) return;
    std::size_t const blocks = (n + block - 1) / block;
    std::size_t const groups = (blocks + 3) / 4 * 4;
    keys_.resize(blocks * block + groups);
    for (std::size_t i = 0; i < n; ++i) keys_[i] = key_of(scores[i], static_cast<std::uint32_t>(i));
    if (k > n / 4 && k > few) {
      auto const end = keys_.begin() + static_cast<std::ptrdiff_t>(n);
      if (k == n)
        std::sort(keys_.begin(), end, std::greater<>{});
      else
        std::partial_sort(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(k), end, std::greater<>{});
      for (std::size_t r = 0; r < k; ++r) order[r] = document_of(keys_[r]);
      return;
    }
    std::fill(keys_.begin() + static_cast<std::ptrdiff_t>(n), keys_.end(), nothing);
    std::uint64_t* const maxima = &keys_[blocks * block];
    for (std::size_t b = 0; b < blocks; ++b) maxima[b] = block_maximum(b);
    for (std::size_t r = 0; r < k; ++r) {
      std::uint64_t const best = maximum({maxima, groups});
      std::uint32_t const document = document_of(best);
      order[r] = document;
      keys_[document] = nothing;
      maxima[document / block] = block_maximum(document / block);
    }
  }

 private:
  static constexpr std::size_t block = 8;
  static constexpr std::size_t few = 64;
  static constexpr std::uint64_t nothing = 0;  // below the key of any document

  /// One number that orders documents by score and then by row: the score's bits, made monotone, above the row.
  [[nodiscard]] std::uint64_t key_of(float score, std::uint32_t document) const {
    auto const bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // −0 ties with 0
    std::uint32_t const rising = (bits & 0x8000'0000U) != 0 ? ~bits : bits | 0x8000'0000U;
    std::uint64_t const high = score == score ? rising : 1U;  // NaN below −∞
    return (high << 32U) | (ties_ == TieOrder::row ? ~document : document);
  }
  [[nodiscard]] std::uint32_t document_of(std::uint64_t key) const {
    auto const low = static_cast<std::uint32_t>(key);
    return ties_ == TieOrder::row ? ~low : low;
  }
  [[nodiscard]] static std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }
  [[nodiscard]] std::uint64_t block_maximum(std::size_t b) const {
    std::uint64_t const* const v = &keys_[b * block];
    return larger(larger(larger(v[0], v[4]), larger(v[2], v[6])), larger(larger(v[1], v[5]), larger(v[3], v[7])));
  }
  /// Of a multiple of four numbers, in four chains.
  [[nodiscard]] static std::uint64_t maximum(std::span<std::uint64_t const> v) {
    std::uint64_t a = v[0];
    std::uint64_t b = v[1];
    std::uint64_t c = v[2];
    std::uint64_t d = v[3];
    for (std::size_t i = 4; i < v.size(); i += 4) {
      a = larger(a, v[i]);
      b = larger(b, v[i + 1]);
      c = larger(c, v[i + 2]);
      d = larger(d, v[i + 3]);
    }
    return larger(larger(a, b), larger(c, d));
  }

  TieOrder ties_;
  std::vector<std::uint64_t> keys_;
};

/// The same for a single list.
inline void top_k(std::span<float const> scores, std::size_t k, std::vector<std::uint32_t>& order,
                  TieOrder ties = TieOrder::row) {
  TopK{ties}(scores, k, order);
}

}  // namespace fltr
