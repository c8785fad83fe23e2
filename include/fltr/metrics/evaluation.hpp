#pragma once

#include <cstdint>
#include <optional>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The mean of one metric over a set of queries.
struct Evaluation {
  double sum = 0.0;
  std::uint64_t queries = 0;  ///< queries with a value
  std::uint64_t skipped = 0;  ///< queries that the metric skips

  /// 0 without a query.
  [[nodiscard]] double mean() const noexcept { return queries > 0 ? sum / static_cast<double>(queries) : 0.0; }

  void add(std::optional<double> value) {
    if (!value) {
      ++skipped;
      return;
    }
    sum += *value;
    ++queries;
  }
  void merge(Evaluation const& other) {
    sum += other.sum;
    queries += other.queries;
    skipped += other.skipped;
  }
  auto fields(auto&& visit) { return visit(sum, queries, skipped); }
};

}  // namespace fltr
