#pragma once

#include <algorithm>
#include <cstddef>

#include <fltr/concepts/metric.hpp>
#include <fltr/metrics/first_ranks.hpp>
#include <fltr/metrics/gain.hpp>
#include <fltr/metrics/rank_discount.hpp>

namespace fltr {

/// Discounted cumulative gain (Järvelin and Kekäläinen 2002): Σ_r gain(grade at rank r) / log2(r + 1) over the first
/// `cutoff` ranks.
struct Dcg {
  std::size_t cutoff = 10;
  Gain gain = Gain::exponential;

  [[nodiscard]] double measure(RankedList list) const noexcept {
    double sum = 0.0;
    auto const seen = first_ranks(list.grades, cutoff);
    auto const& table = detail::discount_table();
    std::size_t const tabled = std::min(seen.size(), table.size());
    for (std::size_t i = 0; i < tabled; ++i) sum += gain_of(seen[i], gain) * table[i];
    for (std::size_t i = tabled; i < seen.size(); ++i) sum += gain_of(seen[i], gain) * rank_discount(i + 1);
    return sum;
  }
};
static_assert(Metric<Dcg>);

}  // namespace fltr
