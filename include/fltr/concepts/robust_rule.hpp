#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// The values of the messages of a round as a matrix, clients × parameters, row after row.
class MessageRows {
 public:
  MessageRows() = default;
  MessageRows(std::size_t clients, std::size_t parameters)
      : clients_(clients), parameters_(parameters), values_(clients * parameters) {}

  [[nodiscard]] std::size_t clients() const noexcept { return clients_; }
  [[nodiscard]] std::size_t parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<float> row(std::size_t client) noexcept {
    return std::span(values_).subspan(client * parameters_, parameters_);
  }
  [[nodiscard]] std::span<float const> row(std::size_t client) const noexcept {
    return std::span(values_).subspan(client * parameters_, parameters_);
  }
  [[nodiscard]] std::span<float const> values() const noexcept { return values_; }

 private:
  std::size_t clients_ = 0;
  std::size_t parameters_ = 0;
  std::vector<float> values_;
};

/// A copy of the messages' values, in the order of the messages. Requires messages of one length.
template <FlatMessage M>
[[nodiscard]] MessageRows message_rows(std::span<ClientMessage<M> const> messages) {
  MessageRows rows(messages.size(), messages.empty() ? 0 : messages.front().message.values.size());
  for (std::size_t c = 0; c < messages.size(); ++c) {
    auto const& values = messages[c].message.values;
    if (values.size() != rows.parameters())
      throw_requirement("message_rows", "messages of " + std::to_string(rows.parameters()) + " values like the first",
                        std::to_string(values.size()) + " values from client " + std::to_string(messages[c].client));
    std::ranges::copy(values, rows.row(c).begin());
  }
  return rows;
}

/// Too few messages for a rule: it cannot compute, or it cannot guarantee what `strict` requires.
class TooFewMessages : public std::invalid_argument {
 public:
  TooFewMessages(std::string_view rule, std::size_t required, std::size_t got)
      : std::invalid_argument(std::string(rule) + ": required at least " + number_text(required) + " messages, got " +
                              number_text(got)),
        required_(required),
        got_(got) {}
  [[nodiscard]] std::size_t required() const noexcept { return required_; }
  [[nodiscard]] std::size_t got() const noexcept { return got_; }

 private:
  std::size_t required_;
  std::size_t got_;
};

/// A **RobustRule** makes one model out of the clients' models, and some of them may be malicious.
///
/// | required                     | meaning                                                                       |
/// | ---------------------------- | ----------------------------------------------------------------------------- |
/// | `rule.combine(rows, global)` | const; returns the model, a std::vector<float>; `global` are the weights that |
/// |                              | were sent to the clients, a std::span<float const>; throws TooFewMessages     |
/// | `rule.minimum_messages()`    | const; returns the fewest rows with which `combine` works                     |
/// | `rule.guaranteed(clients)`   | const; returns bool: whether the rule's theorem holds for this many rows      |
///
/// | optional                     | meaning                                                                       |
/// | ---------------------------- | ----------------------------------------------------------------------------- |
/// | `rule.select(rows, global)`  | const; returns the rows that the rule uses, a std::vector<std::size_t>        |
///
/// All values of the rows are finite: messages that are not are rejected before.
/// Every RobustRule of the library is an Aggregator. Attackers simulate rules: see Fang and DynOpt.
///
/// Models: Bulyan, CenteredClipping, GeometricMedian, Krum, Meamed, Median, MinimumDiameter, MultiKrum, TrimmedMean. Of
/// these Bulyan, Krum, MinimumDiameter and MultiKrum are SelectingRules.
template <class Rule>
concept RobustRule = requires(Rule const& rule, MessageRows const& rows, std::span<float const> global, std::size_t n) {
  { rule.combine(rows, global) } -> std::same_as<std::vector<float>>;
  { rule.minimum_messages() } -> std::convertible_to<std::uint64_t>;
  { rule.guaranteed(n) } -> std::same_as<bool>;
};

/// A RobustRule that uses some rows and leaves out the others.
template <class Rule>
concept SelectingRule =
    RobustRule<Rule> && requires(Rule const& rule, MessageRows const& rows, std::span<float const> global) {
      { rule.select(rows, global) } -> std::same_as<std::vector<std::size_t>>;
    };

/// What a robust aggregator keeps about the last round.
struct RobustReport {
  std::vector<ClientId> selected{};  ///< the clients whose messages were used; empty: the rule does not select
  bool guaranteed = false;           ///< whether the rule's theorem holds for this round
  bool converged = true;  ///< false: an iterative rule stopped at its last iteration, before its stop rule held

  auto fields(auto&& visit) { return visit(selected, guaranteed, converged); }
};

}  // namespace fltr
