#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// Models of one round and their senders.
struct Models {
  MessageRows rows{};
  std::vector<ClientId> senders{};
};

/// The models that the attackers of a round know.
struct KnownModels {
  Models own{};     ///< of the attackers, before the attack
  Models others{};  ///< of the honest clients; none with PartialKnowledge

  [[nodiscard]] bool empty() const noexcept { return own.senders.empty() && others.senders.empty(); }
  /// What attackers take for the models of honest clients: those of the others, or without them their own.
  [[nodiscard]] Models const& honest() const noexcept { return others.senders.empty() ? own : others; }
};

/// The messages whose values are all finite. The server rejects the others, and a simulated rule must not see them.
template <FlatMessage M>
[[nodiscard]] Models finite_models(std::string_view attack, std::span<ClientMessage<M> const> messages,
                                   std::size_t parameters) {
  auto const finite = [](ClientMessage<M> const& sent) {
    return std::ranges::all_of(sent.message.values, [](float v) { return std::isfinite(v); });
  };
  for (ClientMessage<M> const& sent : messages)
    require(sent.message.values.size() == parameters, attack,
            "messages of " + std::to_string(parameters) + " values, one per shared parameter of the ranker",
            sent.message.values.size());
  Models out{MessageRows(static_cast<std::size_t>(std::ranges::count_if(messages, finite)), parameters)};
  for (ClientMessage<M> const& sent : messages) {
    if (!finite(sent)) continue;
    std::ranges::copy(sent.message.values, out.rows.row(out.senders.size()).begin());
    out.senders.push_back(sent.client);
  }
  return out;
}

/// The models that attackers know before they change their messages.
template <FlatMessage M>
[[nodiscard]] KnownModels known_models(std::string_view attack, std::span<ClientMessage<M>> mine,
                                       std::span<ClientMessage<M> const> others, std::size_t parameters) {
  return {finite_models(attack, std::span<ClientMessage<M> const>(mine), parameters),
          finite_models(attack, others, parameters)};
}

/// All known models: the attackers' own, then the others.
[[nodiscard]] inline MessageRows all_rows(KnownModels const& known) {
  MessageRows const& own = known.own.rows;
  MessageRows const& others = known.others.rows;
  MessageRows out(own.clients() + others.clients(), others.clients() > 0 ? others.parameters() : own.parameters());
  for (std::size_t i = 0; i < own.clients(); ++i) std::ranges::copy(own.row(i), out.row(i).begin());
  for (std::size_t i = 0; i < others.clients(); ++i)
    std::ranges::copy(others.row(i), out.row(own.clients() + i).begin());
  return out;
}

/// x rounded to float. Values beyond the range of float become the largest float, because the server would reject an
/// infinite one.
[[nodiscard]] inline float finite_float(double x) noexcept {
  constexpr double largest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -largest, largest));
}

/// Every attacker sends the same model.
template <FlatMessage M>
void send_all(std::span<ClientMessage<M>> mine, std::span<double const> model) {
  for (ClientMessage<M>& sent : mine)
    std::ranges::transform(model, sent.message.values.begin(), [](double v) { return finite_float(v); });
}

}  // namespace fltr::detail
