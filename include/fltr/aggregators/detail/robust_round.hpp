#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr::detail {

/// Throws TooFewMessages if there are fewer rows than the rule's minimum_messages.
template <class Rule>
void require_rows(std::string_view name, Rule const& rule, MessageRows const& rows) {
  std::size_t const least = std::max<std::size_t>(1, rule.minimum_messages());
  if (rows.clients() < least) throw TooFewMessages(name, least, rows.clients());
}

/// The mean of the chosen rows, added in this order in double.
[[nodiscard]] inline std::vector<float> mean_of_rows(MessageRows const& rows, std::span<std::size_t const> chosen) {
  std::vector<double> sums(rows.parameters());
  for (std::size_t const c : chosen) {
    auto const row = rows.row(c);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(row[k]);
  }
  std::vector<float> mean(sums.size());
  auto const count = static_cast<double>(chosen.size());
  for (std::size_t k = 0; k < sums.size(); ++k) mean[k] = static_cast<float>(sums[k] / count);
  return mean;
}

/// The round of a RobustRule that does not select: the ranker gets the combined model.
template <class Rule, FlatMessage M, class R>
void aggregate_rows(Rule const& rule, std::span<ClientMessage<M> const> messages, R& ranker, RobustReport& report) {
  auto const weights = shared_parameters(ranker);
  std::ranges::copy(rule.combine(message_rows(messages), weights), weights.begin());
  report.selected.clear();
  report.guaranteed = rule.guaranteed(messages.size());
}

/// The round of a SelectingRule. `rule.combine_selected(rows, chosen)` makes the model out of the chosen rows.
template <class Rule, FlatMessage M, class R>
void aggregate_selected(Rule const& rule, std::span<ClientMessage<M> const> messages, R& ranker, RobustReport& report) {
  auto const rows = message_rows(messages);
  auto const chosen = rule.select(rows);
  std::ranges::copy(rule.combine_selected(rows, chosen), shared_parameters(ranker).begin());
  report.selected.clear();
  for (std::size_t const c : chosen) report.selected.push_back(messages[c].client);
  report.guaranteed = rule.guaranteed(messages.size());
}

}  // namespace fltr::detail
