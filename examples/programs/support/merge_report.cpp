#include "merge_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fltr/metrics/significance.hpp>
#include <fltr/metrics/summary_statistics.hpp>

#include "table.hpp"
#include "text.hpp"

namespace fltr::examples {

MergeReport::MergeReport(std::size_t fold, std::uint64_t seed, bool utf8)
    : fold_(fold), seed_(seed), utf8_(utf8), json_{{"fold", fold}, {"seed", seed}} {}

double MergeReport::merged() const {
  double sum = 0;
  for (Client const& client : clients_) sum += client.merged;
  return sum / static_cast<double>(clients_.size());
}

void MergeReport::add_held_out(Dataset const& queries) {
  text_ += fmt::format("fold {}: weights chosen on {} queries\n\n", fold_, queries.size());
}

void MergeReport::add_split(float category, std::optional<DerivedCategory> const& derived, NamedFold const& fold,
                            std::span<MergingClient const> clients, std::span<TestPart const> parts) {
  Table sizes({"queries", "train", "vali", "test"});
  auto const add = [&](std::string name, std::size_t of_train, std::size_t of_vali, std::string of_test) {
    sizes.add({std::move(name), grouped(of_train), grouped(of_vali), std::move(of_test)});
  };
  add("DS", fold.train.size(), fold.vali.size(), grouped(fold.test.size()));
  for (std::size_t i = 0; i < clients.size(); ++i)
    add(fmt::format("DS{}", i + 1), clients[i].queries.size(), clients[i].validation.size(),
        grouped(parts[i].queries.size()));
  for (std::size_t i = 0; i < clients.size(); ++i)
    add(fmt::format("D_merge of client {}", i + 1), clients[i].merge.size(), clients[i].merge_validation.size(), "");
  text_ += fmt::format("fold {}, seed {}: category {}{}\n\n{}\n", fold_, seed_, category,
                       derived ? ", " + derived->text() : "", sizes.text(utf8_));

  // Categories are whole numbers in most data sets.
  json_["category"] = category == std::floor(category) ? Json(static_cast<std::int64_t>(category)) : Json(category);
  if (derived)
    json_["derived_category"] = {
        {"feature", derived->feature + 1}, {"above", derived->of_the_first > 0}, {"threshold", derived->threshold}};
  json_["queries"] = Json::array();
  json_["merge_queries"] = Json::array();
  for (MergingClient const& client : clients) {
    json_["queries"].push_back(client.queries.size());
    json_["merge_queries"].push_back(client.merge.size());
  }
}

void MergeReport::compare(std::span<MeasuredModel const> models, std::size_t local, std::size_t merged,
                          std::span<TestPart const> parts) {
  TestPart const& everything = parts.back();
  auto const value_of = [&](MeasuredModel const& model) { return model.mean(0, everything.queries); };
  std::vector<std::pair<MeasuredModel const*, MeasuredModel const*>> pairs;
  for (std::size_t i = 0; i < merged; ++i) {
    MeasuredModel const& own = models[models.size() - merged + i];
    Client client{.merged = value_of(own)};
    for (std::size_t m = 0; m < local; ++m) {
      if (m == i)
        client.local = value_of(models[m]);
      else
        client.other = std::max(client.other, value_of(models[m]));
      pairs.emplace_back(&own, &models[m]);
    }
    clients_.push_back(std::move(client));
  }
  for (MeasuredModel const& model : models) {
    Measured& measured_model = measured_.emplace_back(Measured{model.name, {}});
    for (auto const& value : model.values) measured_model.values.push_back(value[0]);
  }
  // Tables show the merged models first, then the models that they are compared with.
  std::vector<MeasuredModel> rows(models.begin(), models.end());
  std::rotate(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(merged), rows.end());
  text_ += table_by_part(rows, parts, 0, utf8_) + '\n';
  text_ += table_by_metric(rows, everything, utf8_) + '\n';
  text_ += table_of_tests(pairs, utf8_) + '\n';
  json_["models"] = means_json(models, parts);
  json_["tests"] = tests_json(pairs);
}

void MergeReport::describe(std::size_t client, MergedForest const& merged) {
  clients_[client].weights = merged.weights;
  std::vector<std::string> weights;
  for (double const weight : merged.weights) weights.push_back(fmt::format("{:.2f}", weight));
  text_ +=
      fmt::format("client {}: weights {}, {} trees\n", client + 1, join(weights, ", "), merged.forest().trees().size());
}

void MergeReport::describe(std::size_t client, StackedForest const& merged) {
  auto const gains = merged.gain_importance();
  auto const splits = merged.split_importance();
  double const total = std::max(std::accumulate(gains.begin(), gains.end(), 0.0), 1e-300);
  std::vector<std::size_t> order(gains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
  std::size_t const models = merged.local.forests().size();
  auto const name = [&](std::size_t feature) {
    for (std::size_t m = 0; m < models; ++m)
      if (merged.local.feature_of(m) == feature) return fmt::format("{} (score of M{})", feature + 1, m + 1);
    return std::to_string(feature + 1);
  };
  if (merged.learned()) {
    Table table({"feature", "gain", "splits"});
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i)
      table.add({name(order[i]), fmt::format("{:.1f} %", 100 * gains[order[i]] / total),
                 fmt::format("{:.0f}", splits[order[i]])});
    text_ += fmt::format("client {}, {} trees: importance\n\n{}\n", client + 1, merged.stacked.trees().size(),
                         table.text(utf8_));
  } else {
    text_ +=
        fmt::format("client {}: no tree grew on its merge queries, so its model is the mean of the forests' scores\n\n",
                    client + 1);
  }

  Json scores = Json::array();
  for (std::size_t m = 0; m < models; ++m) {
    std::size_t const feature = merged.local.feature_of(m);
    scores.push_back({{"feature", feature + 1},
                      {"gain_share", number_or_null(gains[feature] / total)},
                      {"splits", number_or_null(splits[feature])},
                      {"rank_by_gain", std::ranges::find(order, feature) - order.begin() + 1}});
  }
  json_[fmt::format("importance_of_scores_client{}", client + 1)] = std::move(scores);
}

Chart merge_chart(std::span<MergeReport const> runs, std::string const& data) {
  Series bars{.label = "mean", .x = {}, .y = {}, .form = Series::Form::bars};
  Chart chart{.title = "forest_merge: nDCG@10 of the models",
              .subtitle = {},
              .x_label = "model",
              .y_label = "nDCG@10",
              .series = {},
              .least_y = 0,
              .most_y = 1};
  std::size_t queries = 0;
  for (std::size_t m = 0; m < (runs.empty() ? 0 : runs.front().measured().size()); ++m) {
    std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>> sums;  // by fold and query: sum, number
    for (MergeReport const& run : runs) {
      auto const& values = run.measured()[m].values;
      for (std::size_t q = 0; q < values.size(); ++q)
        if (values[q]) {
          auto& [sum, count] = sums[{run.fold(), q}];
          sum += *values[q];
          ++count;
        }
    }
    std::vector<double> means;
    for (auto const& [query, of_query] : sums) means.push_back(of_query.first / of_query.second);
    queries = means.size();
    std::string name = runs.front().measured()[m].model;
    if (std::string_view const merged = "merged, client "; name.starts_with(merged))
      name = "merged " + name.substr(merged.size());
    chart.x_names.push_back(std::move(name));
    bars.x.push_back(static_cast<double>(m));
    bars.y.push_back(fltr::mean(means));
    auto const interval = means.size() > 1 ? confidence_interval(means) : ConfidenceInterval{};
    bars.deviation.push_back((interval.high - interval.low) / 2);
  }
  std::string const rest = fmt::format(", {} test queries; 95 % intervals of the means over queries", grouped(queries));
  chart.subtitle = shortened_path(data, 92 - std::min<std::size_t>(92, rest.size())) + rest;
  chart.series.push_back(std::move(bars));
  return chart;
}

Json clients_json(std::span<MergeReport const> runs) {
  Json clients = Json::array();
  for (std::size_t i = 0; i < runs.front().clients().size(); ++i) {
    auto const mean_of = [&](auto const& get) {
      double sum = 0;
      for (MergeReport const& run : runs) sum += get(run.clients()[i]);
      return number_or_null(sum / static_cast<double>(runs.size()));
    };
    Json weights;  // null for stacking
    for (std::size_t m = 0; m < runs.front().clients()[i].weights.size(); ++m)
      weights.push_back(mean_of([m](MergeReport::Client const& client) { return client.weights[m]; }));
    clients.push_back({{"local_ndcg10", mean_of([](auto const& client) { return client.local; })},
                       {"other_ndcg10", mean_of([](auto const& client) { return client.other; })},
                       {"merged_ndcg10", mean_of([](auto const& client) { return client.merged; })},
                       {"alpha", weights.size() == 2 ? weights[1] : Json()},
                       {"weights", weights}});
  }
  return clients;
}

}  // namespace fltr::examples
