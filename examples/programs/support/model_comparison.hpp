#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/metrics/average_precision.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/paired_test.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>

#include "json.hpp"

namespace fltr::examples {

/// A metric by which models are compared.
struct ComparedMetric {
  std::string_view title;  ///< in tables
  std::string_view key;    ///< in run.json
};
inline constexpr std::array<ComparedMetric, 3> compared_metrics{
    {{"nDCG@10", "ndcg10"}, {"MAP", "map"}, {"MRR@10", "mrr10"}}};

/// The metrics of a model for each query. A metric that skips a query has no value there.
struct MeasuredModel {
  std::string name;
  std::vector<std::array<std::optional<double>, compared_metrics.size()>> values;

  /// The mean over these queries; NaN if none of them has a value.
  [[nodiscard]] double mean(std::size_t metric, std::span<std::uint32_t const> queries) const;
};

/// A subset of the test queries.
struct TestPart {
  std::string name;
  std::vector<std::uint32_t> queries;
};
[[nodiscard]] TestPart all_queries(std::string name, Dataset const& data);

template <Ranker R>
[[nodiscard]] MeasuredModel measure_model(std::string name, R const& ranker, Dataset const& data) {
  return {std::move(name), evaluate_queries(ranker, data, Ndcg{.cutoff = 10}, AveragePrecision{.cutoff = 0},
                                            ReciprocalRank{.cutoff = 10})};
}

/// Student's paired test of a − b over the queries that have a value for both; empty for fewer than two queries.
[[nodiscard]] std::optional<PairedTest> compare_models(MeasuredModel const& a, MeasuredModel const& b,
                                                       std::size_t metric);

/// One metric: a line for each model, a column for each part of the test queries.
[[nodiscard]] std::string table_by_part(std::span<MeasuredModel const> models, std::span<TestPart const> parts,
                                        std::size_t metric, bool utf8);
/// One part of the test queries: a line for each model, a column for each metric.
[[nodiscard]] std::string table_by_metric(std::span<MeasuredModel const> models, TestPart const& part, bool utf8);
/// A line for each pair of models, a column for each metric: the difference and its p-value.
[[nodiscard]] std::string table_of_tests(std::span<std::pair<MeasuredModel const*, MeasuredModel const*> const> pairs,
                                         bool utf8);

/// {"M1": {"DS1": {"ndcg10": …, "map": …, "mrr10": …}, …}, …}
[[nodiscard]] Json means_json(std::span<MeasuredModel const> models, std::span<TestPart const> parts);
/// [{"model": …, "against": …, "ndcg10": {"difference": …, "p": …}, …}, …]
[[nodiscard]] Json tests_json(std::span<std::pair<MeasuredModel const*, MeasuredModel const*> const> pairs);

}  // namespace fltr::examples
