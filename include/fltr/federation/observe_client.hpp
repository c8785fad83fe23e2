#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <fltr/concepts/click_guess.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/displayed_documents.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/round_info.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// A simulated client from outside and inside: what a server observes (message and lists), and the secret (clicks).
struct ObservedClient {
  LocalWeights message;
  std::vector<DisplayedDocuments> lists;  ///< one per interaction
  std::vector<std::uint8_t> clicks;       ///< on the documents of `lists`, list by list in rank order
};

namespace detail {

/// A click model that writes down the lists and clicks of the model that it wraps.
template <ClickModel Clicks>
struct WatchedClicks {
  Clicks const& users;
  ObservedClient& out;

  void click(DisplayedList const& list, std::span<std::uint8_t> clicks, Stream& stream) const {
    users.click(list, clicks, stream);
    out.lists.emplace_back(list);
    out.clicks.insert(out.clicks.end(), clicks.begin(), clicks.end());
  }
};

}  // namespace detail

/// Simulates an honest client and watches it. The message is that of simulated_message: same bits, noise included.
template <class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] ObservedClient observe_client(L const& learner, Clicks const& clicks, P const& privatizer,
                                            R const& global, C const& client, RoundInfo const& round) {
  ObservedClient out;
  decltype(auto) users = clicks_of(clicks, client.id);
  detail::WatchedClicks<std::remove_cvref_t<decltype(users)>> const watched{users, out};
  State<L> state{};
  out.message = simulated_message(learner, watched, privatizer, global, client, round, state);
  return out;
}

/// The update that a server reads from one message: received weights minus broadcast weights.
template <class R>
[[nodiscard]] std::vector<double> update_of(R const& global, LocalWeights const& message) {
  auto const broadcast = shared_parameters(global);
  require(message.values.size() == broadcast.size(), "update_of", "one value for each shared parameter",
          message.values.size());
  std::vector<double> update(broadcast.size());
  for (std::size_t i = 0; i < update.size(); ++i)
    update[i] = static_cast<double>(message.values[i]) - static_cast<double>(broadcast[i]);
  return update;
}

/// The update that a server reads from a sum of messages: their weighted mean minus the broadcast weights.
template <class R>
[[nodiscard]] std::vector<double> update_of(R const& global, WeightSum const& sum) {
  auto const broadcast = shared_parameters(global);
  require(sum.values.size() == broadcast.size(), "update_of", "one value for each shared parameter", sum.values.size());
  require(sum.weight > 0.0, "update_of", "a sum of a weight above 0", sum.weight);
  std::vector<double> update(broadcast.size());
  for (std::size_t i = 0; i < update.size(); ++i)
    update[i] = sum.values[i] / sum.weight - static_cast<double>(broadcast[i]);
  return update;
}

}  // namespace fltr
