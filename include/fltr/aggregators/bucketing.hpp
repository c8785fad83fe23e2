#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/aggregate_gathered.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/detector.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// Bucketing (Karimireddy, He and Jaggi 2022): the messages are shuffled and divided into ⌈n / size⌉ buckets, and the
/// wrapped aggregator A gets the mean of each bucket. Means differ less than messages, which helps robust rules if
/// honest clients differ. The last bucket may be smaller; it is divided by its own size.
///
/// **The rule within**: m attackers spoil up to m buckets, so A must tolerate m malicious rows of ⌈n / size⌉ (m of n / 2
/// for size 2). A needs its fewest messages as buckets: `minimum_messages()` is (k − 1) · size + 1 if A needs k.
///
/// **Random numbers**: the permutation is a function of `seed` and the number of the round, which the State counts. An
/// attacker who knows the seed can predict the buckets.
///
/// **Conventions**: messages have equal weights in the mean of a bucket. `interactions` of a bucket, if the message has
/// this member, is the sum over the bucket: Bucketing<FedAvg> with equal interactions is FedAvg up to rounding. A
/// bucket has the id and the position of its first client in the population; a report of A names this client, and the
/// State says who else was in the bucket. A gets the buckets in the order of these positions. With size 1 the result
/// has the bits of A.
///
/// Cost: O(n d) for n messages of d values, and a copy of the buckets.
template <class A>
struct Bucketing {
  static_assert(!Detector<A>,
                "fltr: Bucketing must not wrap a Detector, because the mean of a bucket has no single sender; wrap "
                "Bucketing with the Detector instead");

  struct State {
    fltr::State<A> inner{};                        ///< of the wrapped aggregator
    std::uint32_t rounds = 0;                      ///< that were aggregated
    std::vector<std::vector<ClientId>> buckets{};  ///< the clients of each bucket of the last round
    auto fields(auto&& visit) { return visit(inner, rounds, buckets); }
    [[nodiscard]] bool consistent() const { return detail::is_consistent_state(inner); }
  };

  A aggregator{};
  std::size_t size = 2;  ///< messages in a bucket; at least 1
  std::uint64_t seed = 1;

  [[nodiscard]] std::uint64_t minimum_messages() const { return (fltr::minimum_messages(aggregator) - 1) * size + 1; }

  /// The order of `count` messages in this round (counted from 1): bucket b has the messages order[b · size], ….
  [[nodiscard]] std::vector<std::size_t> permutation(std::size_t count, std::uint32_t round) const {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Stream stream = Streams{.seed = seed, .round = round}.of(Purpose::buckets);
    stream.shuffle(std::span(order));
    return order;
  }

  /// The means of the buckets, in the order of the permutation. Sums are formed in double, in the order of the
  /// permutation.
  [[nodiscard]] MessageRows mix(MessageRows const& rows, std::span<std::size_t const> order) const {
    check();
    require(order.size() == rows.clients(), "Bucketing", "a permutation of all rows", order.size());
    MessageRows means((order.size() + size - 1) / size, rows.parameters());
    for (std::size_t b = 0; b < means.clients(); ++b)
      std::ranges::copy(detail::mean_of_rows(rows, bucket(order, b)), means.row(b).begin());
    return means;
  }

  template <class M, class R>
  requires detail::Wrappable<A, M, R>
  void aggregate(std::span<ClientMessage<M> const> messages, R& ranker, State& state) const {
    check();
    auto const order = permutation(messages.size(), ++state.rounds);
    MessageRows const means = mix(message_rows(messages), order);
    std::vector<std::pair<ClientMessage<M>, std::vector<ClientId>>> buckets;
    for (std::size_t b = 0; b < means.clients(); ++b) {
      auto const members = bucket(order, b);
      // The messages are in the order of their positions, so the least index is the first client of the population.
      ClientMessage<M> joined = messages[*std::ranges::min_element(members)];
      joined.message.values.assign(means.row(b).begin(), means.row(b).end());
      if constexpr (requires { joined.message.interactions += 1; }) {
        joined.message.interactions = 0;
        for (std::size_t const member : members) joined.message.interactions += messages[member].message.interactions;
      }
      std::vector<ClientId> clients;
      for (std::size_t const member : members) clients.push_back(messages[member].client);
      buckets.emplace_back(std::move(joined), std::move(clients));
    }
    std::ranges::sort(buckets, {}, [](auto const& one) { return one.first.position; });
    state.buckets.clear();
    std::vector<ClientMessage<M>> joined;
    for (auto& [message, clients] : buckets) {
      joined.push_back(std::move(message));
      state.buckets.push_back(std::move(clients));
    }
    detail::aggregate_gathered(aggregator, std::span<ClientMessage<M> const>(joined), ranker, state.inner);
  }

 private:
  void check() const { require(size >= 1, "Bucketing", "a size of at least 1 message", size); }
  [[nodiscard]] std::span<std::size_t const> bucket(std::span<std::size_t const> order, std::size_t number) const {
    return order.subspan(number * size, std::min(size, order.size() - number * size));
  }
};
template <class A>
Bucketing(A) -> Bucketing<A>;
template <class A>
Bucketing(A, std::size_t) -> Bucketing<A>;
template <class A>
Bucketing(A, std::size_t, std::uint64_t) -> Bucketing<A>;

}  // namespace fltr
