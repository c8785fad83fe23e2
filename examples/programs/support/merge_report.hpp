#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/partition/by_category.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/merged_forest.hpp>
#include <fltr/rankers/stacked_forest.hpp>

#include <nlohmann/json.hpp>

#include "curve.hpp"
#include "data_source.hpp"
#include "derived_category.hpp"
#include "json.hpp"
#include "model_comparison.hpp"

namespace fltr::examples {

/// The results of one run of forest merging (a fold and a seed): tables, and the same values for run.json.
class MergeReport {
 public:
  /// nDCG@10 over all test queries.
  struct Client {
    double local = 0;               ///< of the client's own forest
    double other = 0;               ///< of the best forest of another client
    double merged = 0;              ///< of the client's merged model
    std::vector<double> weights{};  ///< empty for stacking
  };

  MergeReport(std::size_t fold, std::uint64_t seed, bool utf8);

  /// Without categories: one client merges, and chooses the weights on these queries.
  void add_held_out(Dataset const& queries);
  /// How a category divides the queries between two clients.
  void add_split(float category, std::optional<DerivedCategory> const& derived, NamedFold const& fold,
                 std::span<MergingClient const> clients, std::span<TestPart const> parts);

  /// Measures the models on parts of the test queries; the last part is all test queries. The models are: the clients'
  /// own forests (M1, M2), the forest of all queries if there is one (M_full), the global model with equal weights, and
  /// each client's merged model. Tables 1 (of a mixed split) and 3 to 5 of the paper.
  template <class Merged>
  void add_models(std::span<Merged const> merged, Forest const& global, std::optional<Forest> const& full,
                  Dataset const& test, std::span<TestPart const> parts) {
    auto const local = local_of(merged.front());
    std::vector<MeasuredModel> models;
    for (std::size_t i = 0; i < local.size(); ++i)
      models.push_back(measure_model("M" + std::to_string(i + 1), local[i], test));
    if (full) models.push_back(measure_model("M_full", *full, test));
    models.push_back(measure_model("equal weights", global, test));
    for (std::size_t i = 0; i < merged.size(); ++i)
      models.push_back(measure_model("merged, client " + std::to_string(i + 1), merged[i], test));
    compare(models, local.size(), merged.size(), parts);
    for (std::size_t i = 0; i < merged.size(); ++i) describe(i, merged[i]);
  }

  [[nodiscard]] std::span<Client const> clients() const noexcept { return clients_; }
  /// nDCG@10 of each model for each test query.
  struct Measured {
    std::string model;
    std::vector<std::optional<double>> values;
  };
  [[nodiscard]] std::span<Measured const> measured() const noexcept { return measured_; }
  [[nodiscard]] std::size_t fold() const noexcept { return fold_; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }
  [[nodiscard]] Json const& json() const noexcept { return json_; }
  /// The mean over the clients of `Client::merged`.
  [[nodiscard]] double merged() const;

 private:
  static std::span<Forest const> local_of(MergedForest const& merged) { return merged.local; }
  static std::span<Forest const> local_of(StackedForest const& merged) { return merged.local.forests(); }

  /// The clients' own forests are the first models, the merged models the last.
  void compare(std::span<MeasuredModel const> models, std::size_t local, std::size_t merged,
               std::span<TestPart const> parts);
  void describe(std::size_t client, MergedForest const& merged);
  void describe(std::size_t client, StackedForest const& merged);

  std::size_t fold_;
  std::uint64_t seed_;
  bool utf8_;
  std::vector<Client> clients_;
  std::vector<Measured> measured_;
  std::string text_;
  Json json_;
};

/// A bar for each model: the mean of nDCG@10 over the test queries, each averaged over the repeats of its fold, with the
/// 95 % interval of Student's t over these queries.
[[nodiscard]] Chart merge_chart(std::span<MergeReport const> runs, std::string const& data);

/// The means over the runs for each client: [{"local_ndcg10": …, "merged_ndcg10": …, "weights": […], …}, …]
[[nodiscard]] Json clients_json(std::span<MergeReport const> runs);

}  // namespace fltr::examples
