#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>
#include <fltr/federation/detail/finite_result.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr::detail {

/// The rankers of single clients that an aggregator with `personalize` makes. This is the version for an aggregator
/// without that hook.
template <class Policies, Population Clients>
struct PersonalRankers {
  using Rankers = NoState;

  [[nodiscard]] static std::optional<Rankers> made_of(Policies const&, Clients const&,
                                                      std::span<ClientMessage<typename Policies::Message> const>,
                                                      std::uint32_t) {
    return std::nullopt;
  }
};

/// The version for an aggregator with `personalize`.
template <class Policies, Population Clients>
requires composition::NamesHook_personalize<typename Policies::Aggregator>
struct PersonalRankers<Policies, Clients> {
  using A = typename Policies::Aggregator;
  using Messages = std::span<ClientMessage<typename Policies::Message> const>;
  static_assert(
      requires(A const& a, Messages all, ClientOf<Clients> const& client) { a.personalize(all, client); },
      "fltr: the Aggregator's hook 'personalize' must be callable as personalize(std::span<ClientMessage<Message> "
      "const>, Client const&) const");
  using Personal = decltype(std::declval<A const&>().personalize(Messages{}, std::declval<ClientOf<Clients> const&>()));
  using Rankers = std::vector<Personal>;

  /// The ranker of every client, in the order of the population. None if no message was aggregated. Throws
  /// NotFiniteError if a ranker is not finite.
  [[nodiscard]] static std::optional<Rankers> made_of(Policies const& policies, Clients const& clients,
                                                      Messages messages, std::uint32_t round) {
    if (messages.empty()) return std::nullopt;
    Rankers all = made_of(policies, clients, messages);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (auto const found = not_finite_in(all[i]))
        require_none(found, "round " + std::to_string(round),
                     "numbers in the ranker of client " + std::to_string(clients[i].id));
    return all;
  }

 private:
  [[nodiscard]] static Rankers made_of(Policies const& policies, Clients const& clients, Messages messages) {
    auto const personalize = [&](std::size_t i) { return policies.aggregator.personalize(messages, clients[i]); };
    // A process that keeps blocks of clients may have the queries of these clients only.
    if constexpr (BlockKeepingExecution<typename Policies::Execution>) {
      return for_each_client(policies.execution, clients, personalize);
    } else {
      auto all = policies.execution.reduce(clients.size(), [&](std::size_t i) {
        Collected<Personal> one;
        one.add(personalize(i));
        return one;
      });
      return std::move(all).take();
    }
  }
};

}  // namespace fltr::detail
