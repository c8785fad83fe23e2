#include "model_comparison.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/metrics/significance.hpp>
#include <fltr/metrics/summary_statistics.hpp>

#include "table.hpp"

namespace fltr::examples {

namespace {

std::string four_decimals(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::vector<std::string> header_of_metrics(std::string first) {
  std::vector<std::string> header{std::move(first)};
  for (auto const& metric : compared_metrics) header.emplace_back(metric.title);
  return header;
}

}  // namespace

double MeasuredModel::mean(std::size_t metric, std::span<std::uint32_t const> queries) const {
  std::vector<double> counted;
  for (std::uint32_t const query : queries)
    if (auto const& value = values.at(query)[metric]) counted.push_back(*value);
  return fltr::mean(counted);
}

TestPart all_queries(std::string name, Dataset const& data) {
  TestPart part{std::move(name), std::vector<std::uint32_t>(data.size())};
  std::iota(part.queries.begin(), part.queries.end(), 0U);
  return part;
}

std::optional<PairedTest> compare_models(MeasuredModel const& a, MeasuredModel const& b, std::size_t metric) {
  std::vector<double> of_a;
  std::vector<double> of_b;
  for (std::size_t q = 0; q < a.values.size(); ++q)
    if (a.values[q][metric] && b.values.at(q)[metric]) {
      of_a.push_back(*a.values[q][metric]);
      of_b.push_back(*b.values[q][metric]);
    }
  if (of_a.size() < 2) return std::nullopt;
  return paired_t_test(of_a, of_b);
}

std::string table_by_part(std::span<MeasuredModel const> models, std::span<TestPart const> parts, std::size_t metric,
                          bool utf8) {
  std::vector<std::string> header{std::string(compared_metrics[metric].title)};
  for (auto const& part : parts) header.push_back(part.name);
  Table table(std::move(header));
  for (auto const& model : models) {
    std::vector<std::string> row{model.name};
    for (auto const& part : parts) row.push_back(four_decimals(model.mean(metric, part.queries)));
    table.add(std::move(row));
  }
  return table.text(utf8);
}

std::string table_by_metric(std::span<MeasuredModel const> models, TestPart const& part, bool utf8) {
  Table table(header_of_metrics(part.name));
  for (auto const& model : models) {
    std::vector<std::string> row{model.name};
    for (std::size_t m = 0; m < compared_metrics.size(); ++m) row.push_back(four_decimals(model.mean(m, part.queries)));
    table.add(std::move(row));
  }
  return table.text(utf8);
}

std::string table_of_tests(std::span<std::pair<MeasuredModel const*, MeasuredModel const*> const> pairs, bool utf8) {
  Table table(header_of_metrics("difference (p)"));
  for (auto const& [a, b] : pairs) {
    std::vector<std::string> row{fmt::format("{} {} {}", a->name, utf8 ? "−" : "-", b->name)};
    for (std::size_t m = 0; m < compared_metrics.size(); ++m) {
      auto const test = compare_models(*a, *b, m);
      row.push_back(test ? fmt::format("{:+.4f} ({:.2g})", test->difference, test->p) : "-");
    }
    table.add(std::move(row));
  }
  return table.text(utf8);
}

Json means_json(std::span<MeasuredModel const> models, std::span<TestPart const> parts) {
  Json json = Json::object();
  for (auto const& model : models)
    for (auto const& part : parts)
      for (std::size_t m = 0; m < compared_metrics.size(); ++m)
        json[model.name][part.name][std::string(compared_metrics[m].key)] = number_or_null(model.mean(m, part.queries));
  return json;
}

Json tests_json(std::span<std::pair<MeasuredModel const*, MeasuredModel const*> const> pairs) {
  Json json = Json::array();
  for (auto const& [a, b] : pairs) {
    Json entry{{"model", a->name}, {"against", b->name}};
    for (std::size_t m = 0; m < compared_metrics.size(); ++m)
      if (auto const test = compare_models(*a, *b, m))
        entry[std::string(compared_metrics[m].key)] = {{"difference", number_or_null(test->difference)},
                                                       {"low", number_or_null(test->low)},
                                                       {"high", number_or_null(test->high)},
                                                       {"p", number_or_null(test->p)}};
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace fltr::examples
