#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <fltr/concepts/metric.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/first_ranks.hpp>

namespace fltr {

/// Measures metrics of the lists that given scores rank. Keeps copies of the metrics, and its buffers from one query to
/// the next.
template <Metric... Ms>
class ScoreMeasurer {
 public:
  explicit ScoreMeasurer(TieOrder ties, Ms const&... metrics) : rank_(ties), metrics_(metrics...) {
    bool const whole_list = ((metrics.cutoff == 0) || ...);
    depth_ = whole_list ? static_cast<std::size_t>(-1) : std::max({std::size_t{1}, std::size_t{metrics.cutoff}...});
  }

  /// The value of each metric for one query; std::nullopt where a metric skips the query.
  [[nodiscard]] std::array<std::optional<double>, sizeof...(Ms)> measure(QueryView query,
                                                                         std::span<float const> scores) {
    rank_(scores, depth_, order_);
    grades_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) grades_[i] = query.grades()[order_[i]];
    // Each metric gets its own cutoff, not the largest one.
    auto const list = [&](std::size_t cutoff) {
      return RankedList{first_ranks(std::span<Grade const>(grades_), cutoff), query.ideal()};
    };
    return std::apply(
        [&](auto const&... metric) {
          return std::array<std::optional<double>, sizeof...(Ms)>{
              std::optional<double>(metric.measure(list(metric.cutoff)))...};
        },
        metrics_);
  }

 private:
  TopK rank_;
  std::tuple<Ms...> metrics_;
  std::size_t depth_ = 0;  // ranks that the metrics need
  std::vector<std::uint32_t> order_;
  std::vector<Grade> grades_;
};

}  // namespace fltr
