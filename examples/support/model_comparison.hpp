#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>

#include "summary_statistics.hpp"

namespace fltr::examples {

/// What models are compared by: the name for people, and the one in run.json.
struct ComparedMetric {
  std::string_view title;
  std::string_view key;
};
inline constexpr std::array<ComparedMetric, 3> compared_metrics{
    {{"nDCG@10", "ndcg10"}, {"MAP", "map"}, {"MRR@10", "mrr10"}}};

/// A model's metrics, query by query; nothing where a metric skips the query.
struct MeasuredModel {
  std::string name;
  std::array<std::vector<std::optional<double>>, compared_metrics.size()> values;

  /// The mean over some queries, NaN if there is none.
  [[nodiscard]] double mean(std::size_t metric, std::span<std::uint32_t const> queries) const;
};

/// Some of the test queries.
struct TestPart {
  std::string name;
  std::vector<std::uint32_t> queries;
};
[[nodiscard]] TestPart all_queries(std::string name, Dataset const& data);

template <Execution E, Ranker R>
[[nodiscard]] MeasuredModel measure_model(E const& execution, std::string name, R const& ranker, Dataset const& data) {
  MeasuredModel model{std::move(name), {}};
  for (auto& values : model.values) values.resize(data.size());
  Ndcg const ndcg{.cutoff = 10};
  AveragePrecision const precision{};
  ReciprocalRank const reciprocal{.cutoff = 10};
  for_each_block(execution, evaluation_blocks(data), [&](std::size_t block) {
    ListMeasurer<R, Ndcg, AveragePrecision, ReciprocalRank> measurer(ranker, TieOrder::row, ndcg, precision,
                                                                     reciprocal);
    for (std::size_t q = block * evaluation_block; q < std::min(data.size(), (block + 1) * evaluation_block); ++q) {
      auto const found = measurer.measure(data[q]);
      for (std::size_t m = 0; m < found.size(); ++m) model.values[m][q] = found[m];
    }
  });
  return model;
}

/// Student's test of a − b over the queries that count for both; nothing for fewer than two.
[[nodiscard]] std::optional<PairedTest> compare_models(MeasuredModel const& a, MeasuredModel const& b,
                                                       std::size_t metric);

/// One metric: a line for each model, a column for each part.
[[nodiscard]] std::string table_by_part(std::span<MeasuredModel const> models, std::span<TestPart const> parts,
                                        std::size_t metric, bool utf8);
/// One part: a line for each model, a column for each metric.
[[nodiscard]] std::string table_by_metric(std::span<MeasuredModel const> models, TestPart const& part, bool utf8);
/// A line for each pair of models, a column for each metric: the difference and its p.
[[nodiscard]] std::string table_of_tests(std::span<std::pair<MeasuredModel const*, MeasuredModel const*> const> pairs,
                                         bool utf8);

/// {"M1": {"DS1": {"ndcg10": …, "map": …, "mrr10": …}, …}, …}
[[nodiscard]] std::string means_json(std::span<MeasuredModel const> models, std::span<TestPart const> parts);
/// [{"model": …, "against": …, "ndcg10": {"difference": …, "p": …}, …}, …]
[[nodiscard]] std::string tests_json(std::span<std::pair<MeasuredModel const*, MeasuredModel const*> const> pairs);

}  // namespace fltr::examples
