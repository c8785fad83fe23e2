#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr::detail {

/// Models that attackers give to a rule to see what it does: `copies` crafted ones among honest ones.
class SimulatedRound {
 public:
  enum class Crafted { first, last };

  SimulatedRound(MessageRows const& honest, std::size_t copies, Crafted place)
      : rows_(honest.clients() + copies, honest.parameters()),
        begin_(place == Crafted::first ? 0 : honest.clients()),
        copies_(copies) {
    std::size_t const start = place == Crafted::first ? copies : 0;
    for (std::size_t i = 0; i < honest.clients(); ++i) std::ranges::copy(honest.row(i), rows_.row(start + i).begin());
  }

  /// Writes the crafted model into its rows.
  void craft(std::span<double const> model) {
    for (std::size_t i = begin_; i < begin_ + copies_; ++i)
      std::ranges::transform(model, rows_.row(i).begin(), [](double v) { return finite_float(v); });
  }
  [[nodiscard]] MessageRows const& rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t copies() const noexcept { return copies_; }

  /// How many of these rows are crafted.
  [[nodiscard]] std::size_t crafted_among(std::span<std::size_t const> rows) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [&](std::size_t i) { return i >= begin_ && i < begin_ + copies_; }));
  }

 private:
  MessageRows rows_;
  std::size_t begin_;  // the first crafted row
  std::size_t copies_;
};

/// Makes a rule compute on few rows, if it can: it does not refuse rounds without a guarantee (`strict`), Krum has at
/// least one neighbour, and if that does not suffice the rule expects fewer malicious rows. A wrapper does the same with
/// its rule.
template <class Rule>
void relax(Rule& rule, std::size_t rows) {
  if constexpr (requires { rule.aggregator; }) relax(rule.aggregator, rows);
  if constexpr (requires { rule.strict = false; }) rule.strict = false;
  if constexpr (requires { rule.malicious + rule.averaged; })
    if (rule.malicious + rule.averaged > rows) rule.averaged = 0;
  if constexpr (RobustRule<Rule> && requires { rule.neighbours = decltype(rule.neighbours)::at_least_one; })
    if (rule.minimum_messages() > rows) rule.neighbours = decltype(rule.neighbours)::at_least_one;
  if constexpr (RobustRule<Rule> && requires { --rule.malicious; })
    while (rule.malicious > 0 && rule.minimum_messages() > rows) --rule.malicious;
}

/// The rule as attackers simulate it on so many rows; none if it cannot compute.
template <RobustRule Rule>
[[nodiscard]] std::optional<Rule> simulated_rule(Rule rule, std::size_t rows) {
  relax(rule, rows);
  if (rule.minimum_messages() > rows) return std::nullopt;
  return rule;
}

/// The rule that expects as many malicious clients as a simulated round has crafted models, if it has such a member.
template <class Rule>
[[nodiscard]] Rule expecting(Rule rule, std::size_t crafted) {
  if constexpr (requires { rule.aggregator; }) rule.aggregator = expecting(rule.aggregator, crafted);
  if constexpr (requires { rule.malicious = crafted; }) rule.malicious = crafted;
  return rule;
}

}  // namespace fltr::detail
