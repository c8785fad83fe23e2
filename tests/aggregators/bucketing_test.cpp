#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::same_bits;

namespace {

using Vector = archetypes::DifferentiableRanker;
using Messages = std::vector<ClientMessage<LocalWeights>>;

std::span<ClientMessage<LocalWeights> const> all(Messages const& messages) { return messages; }

Messages random_messages(std::uint32_t count, std::uint32_t interactions = 0) {
  Stream stream(11);
  Messages out;
  for (std::uint32_t i = 0; i < count; ++i) {
    LocalWeights message{std::vector<float>(7), interactions == 0 ? 1 + i % 5 : interactions};
    for (float& value : message.values) value = static_cast<float>(stream.normal());
    out.push_back({500 - i, std::move(message), std::uint64_t{5} * i});
  }
  return out;
}

/// Keeps the messages that it gets.
struct Keeps {
  struct State {
    Messages last;
    auto fields(auto&& visit) { return visit(last); }
  };
  void aggregate(std::span<ClientMessage<LocalWeights> const> messages, auto&, State& state) const {
    state.last.assign(messages.begin(), messages.end());
  }
};

}  // namespace

static_assert(Aggregator<Bucketing<FedAvg>> && Aggregator<Bucketing<Krum>> && Aggregator<Bucketing<Bucketing<Median>>>);

TEST_CASE("The rows of a bucket are averaged; the last bucket is divided by its own size") {
  MessageRows rows(5, 2);
  for (std::size_t c = 0; c < 5; ++c) {
    rows.row(c)[0] = static_cast<float>(c);
    rows.row(c)[1] = static_cast<float>(10 * c * c);
  }
  std::vector<std::size_t> const order{3, 0, 4, 1, 2};
  auto const pairs = Bucketing<FedAvg>{.size = 2}.mix(rows, order);
  CHECK(std::ranges::equal(pairs.values(), std::array{1.5F, 45.0F, 2.5F, 85.0F, 2.0F, 40.0F}));
  CHECK(Bucketing<FedAvg>{.size = 9}.mix(rows, order).clients() == 1);
  CHECK_THROWS_WITH(Bucketing<FedAvg>{}.mix(rows, std::span(order).first(3)),
                    ContainsSubstring("Bucketing: required a permutation of all rows, got 3"));
  CHECK_THROWS_WITH(Bucketing<FedAvg>{.size = 0}.mix(rows, order),
                    ContainsSubstring("Bucketing: required a size of at least 1 message, got 0"));
}

TEST_CASE("A bucket has the id and position of its first client, and the sum of the interactions") {
  auto const messages = random_messages(23);
  Bucketing<Keeps> const rule{.size = 4, .seed = 9};
  State<Bucketing<Keeps>> state;
  Vector ranker{std::vector<float>(7)};
  rule.aggregate(all(messages), ranker, state);
  REQUIRE(state.buckets.size() == 6);
  REQUIRE(state.inner.last.size() == 6);
  std::vector<ClientId> seen;
  std::uint64_t before = 0;
  for (std::size_t b = 0; b < 6; ++b) {
    auto const& joined = state.inner.last[b];
    std::uint32_t interactions = 0;
    std::uint64_t first = 1000;
    double sum = 0.0;
    for (ClientId const client : state.buckets[b]) {
      auto const& sent = messages[500 - client];
      interactions += sent.message.interactions;
      first = std::min(first, sent.position);
      sum += static_cast<double>(sent.message.values[3]);
      seen.push_back(client);
    }
    CHECK(joined.message.interactions == interactions);
    CHECK(joined.position == first);
    CHECK(joined.client == 500 - first / 5);
    CHECK(static_cast<double>(joined.message.values[3]) ==
          Approx(sum / static_cast<double>(state.buckets[b].size())).epsilon(1e-6));
    CHECK((b == 0 || joined.position > before));
    before = joined.position;
  }
  std::ranges::sort(seen);
  CHECK(seen.size() == 23);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

TEST_CASE("Buckets of one message give the bits of the wrapped aggregator") {
  auto const messages = random_messages(40);
  Vector bucketed{std::vector<float>(7)};
  Vector expected = bucketed;
  State<Bucketing<FedAvg>> state;
  Bucketing{FedAvg{}, 1}.aggregate(all(messages), bucketed, state);
  FedAvg{}.aggregate(sum_messages(FedAvg{}, messages, expected), expected);
  CHECK(same_bits(bucketed, expected));

  State<Bucketing<Krum>> krum;
  RobustReport alone;
  Bucketing{Krum{.malicious = 3}, 1}.aggregate(all(messages), bucketed, krum);
  Krum{.malicious = 3}.aggregate(all(messages), expected, alone);
  CHECK(same_bits(bucketed, expected));
  CHECK(same_bits(krum.inner, alone));
}

TEST_CASE("Bucketing of clients with equal interactions does not change FedAvg, up to rounding") {
  auto const messages = random_messages(23, 4);
  Vector bucketed{std::vector<float>(7)};
  Vector expected = bucketed;
  State<Bucketing<FedAvg>> state;
  Bucketing{FedAvg{}, 3}.aggregate(all(messages), bucketed, state);
  FedAvg{}.aggregate(sum_messages(FedAvg{}, messages, expected), expected);
  for (std::size_t k = 0; k < 7; ++k)
    CHECK(static_cast<double>(bucketed.weights[k]) ==
          Approx(static_cast<double>(expected.weights[k])).epsilon(1e-5).margin(1e-6));
}

TEST_CASE("The permutation depends on seed and round alone, and every permutation is equally likely") {
  Bucketing<FedAvg> const rule{.seed = 3};
  CHECK(rule.permutation(20, 1) == rule.permutation(20, 1));
  CHECK(rule.permutation(20, 1) != rule.permutation(20, 2));
  CHECK(rule.permutation(20, 1) != Bucketing<FedAvg>{.seed = 4}.permutation(20, 1));
  std::map<std::vector<std::size_t>, double> counts;
  for (std::uint32_t round = 1; round <= 2400; ++round) ++counts[rule.permutation(4, round)];
  REQUIRE(counts.size() == 24);
  double chi_square = 0.0;
  for (auto const& [order, count] : counts) chi_square += (count - 100.0) * (count - 100.0) / 100.0;
  CHECK(chi_square < 58.6);  // 23 degrees of freedom: exceeded with probability 6e-5

  // The state counts rounds: the second round has other buckets than the first, and a new training repeats the first.
  auto const messages = random_messages(20);
  Vector ranker{std::vector<float>(7)};
  State<Bucketing<FedAvg>> state;
  rule.aggregate(all(messages), ranker, state);
  auto const first = state.buckets;
  rule.aggregate(all(messages), ranker, state);
  CHECK(state.rounds == 2);
  CHECK(state.buckets != first);
  State<Bucketing<FedAvg>> again;
  rule.aggregate(all(messages), ranker, again);
  CHECK(again.buckets == first);
}

TEST_CASE("Bucketing needs as many messages as fill the buckets that the rule within needs") {
  for (std::size_t malicious : {0U, 1U, 4U})
    for (std::size_t size : {1U, 2U, 5U}) {
      Bucketing<Krum> const rule{.aggregator = {.malicious = malicious}, .size = size};
      std::size_t const least = minimum_messages(rule);
      auto const buckets = [&](std::size_t messages) { return (messages + size - 1) / size; };
      CHECK(buckets(least) >= Krum{.malicious = malicious}.minimum_messages());
      CHECK(buckets(least - 1) < Krum{.malicious = malicious}.minimum_messages());
    }
}
