#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr::detail {

/// Throws TooFewMessages if there are fewer rows than the rule's minimum_messages, and std::invalid_argument if a value
/// is not finite. A federation rejects such messages before; a comparison with NaN would choose them. A number of
/// malicious clients from 2^32 on is refused, because the sums of `minimum_messages` could overflow.
template <class Rule>
void require_rows(std::string_view name, Rule const& rule, MessageRows const& rows) {
  if constexpr (requires { rule.malicious; })
    require(rule.malicious < std::size_t{1} << 32, name, "malicious < 2^32", rule.malicious);
  std::size_t const least = std::max<std::size_t>(1, rule.minimum_messages());
  if (rows.clients() < least) throw TooFewMessages(name, least, rows.clients());
  bool finite = true;
  for (float const value : rows.values()) finite &= std::abs(value) <= std::numeric_limits<float>::max();
  require(finite, name, "finite values", "NaN or infinity");
}

/// The shared parameters of the ranker. Requires as many as a message has values.
template <class R>
[[nodiscard]] std::span<float> parameters_for(MessageRows const& rows, R& ranker) {
  auto const weights = shared_parameters(ranker);
  require(rows.parameters() == weights.size(), "robust aggregation",
          "messages of " + std::to_string(weights.size()) + " values, as many as the ranker shares", rows.parameters());
  return weights;
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
  auto const rows = message_rows(messages);
  auto const weights = parameters_for(rows, ranker);
  std::ranges::copy(rule.combine(rows, weights), weights.begin());
  report = {.selected = {}, .guaranteed = rule.guaranteed(messages.size()), .converged = true};
}

/// The round of a SelectingRule. `rule.combine_selected(rows, chosen)` makes the model out of the chosen rows.
template <class Rule, FlatMessage M, class R>
void aggregate_selected(Rule const& rule, std::span<ClientMessage<M> const> messages, R& ranker, RobustReport& report) {
  auto const rows = message_rows(messages);
  auto const weights = parameters_for(rows, ranker);
  auto const chosen = rule.select(rows, weights);
  std::ranges::copy(rule.combine_selected(rows, chosen), weights.begin());
  report = {.selected = {}, .guaranteed = rule.guaranteed(messages.size()), .converged = true};
  for (std::size_t const c : chosen) report.selected.push_back(messages[c].client);
}

}  // namespace fltr::detail
