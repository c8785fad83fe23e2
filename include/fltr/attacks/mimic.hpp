#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/detail/variance_direction.hpp>
#include <fltr/attacks/knowledge.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// Mimic (Karimireddy et al. 2022): all attackers copy the model of one honest client. No message looks wrong, but the
/// copied client counts several times. With PartialKnowledge they copy one of their own models.
///
/// Without a fixed client, the attackers of each round copy the model x_i with the largest |v · (x_i − μ)|, where v is
/// the direction in which the models of this round vary most. The paper estimates v over several rounds and then keeps
/// the client. An Attack keeps nothing between rounds, so v is that of the round.
template <Knowledge K>
struct Mimic {
  MaliciousClients malicious{};
  /// The client that is copied. In a round without a message of this client the attackers send their honest models.
  std::optional<ClientId> client{};
  std::uint32_t iterations = 50;  ///< at most, of the power iteration that finds v

  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, PartialKnowledge>
  void poison(std::span<ClientMessage<M>> mine, R const& global, AttackContext const&) const {
    copy(mine, {}, shared_parameters(global).size());
  }
  template <FlatMessage M, ParametricRanker R>
  requires std::same_as<K, FullKnowledge>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const& global,
              AttackContext const&) const {
    copy(mine, others, shared_parameters(global).size());
  }

 private:
  template <class M>
  void copy(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, std::size_t parameters) const {
    auto const known = detail::known_models("Mimic", mine, others, parameters);
    auto const& models = known.honest();
    std::size_t const chosen = client ? row_of(models, *client) : furthest(models.rows);
    if (chosen >= models.senders.size()) return;
    for (ClientMessage<M>& sent : mine) std::ranges::copy(models.rows.row(chosen), sent.message.values.begin());
  }

  [[nodiscard]] static std::size_t row_of(detail::Models const& models, ClientId wanted) {
    return static_cast<std::size_t>(std::ranges::find(models.senders, wanted) - models.senders.begin());
  }

  /// The row furthest from the mean in the direction of most variance. Equal rows: the first.
  [[nodiscard]] std::size_t furthest(MessageRows const& rows) const {
    if (rows.clients() == 0) return 0;
    std::vector<double> const mean = detail::model_mean(rows);
    auto const places = detail::projections(rows, mean, detail::variance_direction(rows, mean, iterations));
    auto const far = std::ranges::max_element(places, {}, [](double place) { return std::abs(place); });
    return static_cast<std::size_t>(far - places.begin());
  }
};
static_assert(Attack<Mimic<FullKnowledge>> && Attack<Mimic<PartialKnowledge>>);

}  // namespace fltr
