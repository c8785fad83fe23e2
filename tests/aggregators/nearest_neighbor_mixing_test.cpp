#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::same_bits;

namespace {

using Vector = archetypes::DifferentiableRanker;
using Messages = std::vector<ClientMessage<LocalWeights>>;

MessageRows column(std::vector<float> const& values) {
  MessageRows rows(values.size(), 1);
  for (std::size_t c = 0; c < values.size(); ++c) rows.row(c)[0] = values[c];
  return rows;
}

std::span<ClientMessage<LocalWeights> const> all(Messages const& messages) { return messages; }

}  // namespace

static_assert(Aggregator<NearestNeighborMixing<FedAvg>> && !RobustRule<NearestNeighborMixing<FedAvg>>);
static_assert(RobustRule<NearestNeighborMixing<TrimmedMean>> && !SelectingRule<NearestNeighborMixing<TrimmedMean>>);
static_assert(SelectingRule<NearestNeighborMixing<Krum>>);

TEST_CASE("A row becomes the mean of its n − f nearest rows, itself included") {
  // Row 1 has two rows at distance 2: the lower one counts. Rows 3 and 4 are equal: each counts for itself.
  auto const means = NearestNeighborMixing{TrimmedMean{}, 3}.mix(column({0, 2, 4, 100, 100}));
  CHECK(std::ranges::equal(means.values(), std::array{1.0F, 1.0F, 3.0F, 100.0F, 100.0F}));
  auto const of_three = NearestNeighborMixing{TrimmedMean{}, 2}.mix(column({0, 2, 4, 100, 100}));
  CHECK(std::ranges::equal(of_three.values(), std::array{2.0F, 2.0F, 2.0F, 68.0F, 68.0F}));
  auto const own = NearestNeighborMixing{TrimmedMean{}, 4}.mix(column({0, 2, 4, 100, 100}));
  CHECK(std::ranges::equal(own.values(), std::array{0.0F, 2.0F, 4.0F, 100.0F, 100.0F}));
}

TEST_CASE("The neighbours are those of a sort by distance and row, also with many equal distances") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Stream stream(seed);
    std::size_t const n = 1 + stream.below(12);
    std::size_t const malicious = stream.below(static_cast<std::uint32_t>(n));
    MessageRows rows(n, 2);
    for (std::size_t c = 0; c < n; ++c)
      for (float& value : rows.row(c)) value = static_cast<float>(stream.below(4));
    auto const means = NearestNeighborMixing{TrimmedMean{}, malicious}.mix(rows);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::pair<float, std::size_t>> others;
      for (std::size_t j = 0; j < n; ++j) {
        float const x = rows.row(i)[0] - rows.row(j)[0];
        float const y = rows.row(i)[1] - rows.row(j)[1];
        others.emplace_back(j == i ? -1.0F : x * x + y * y, j);
      }
      std::ranges::sort(others);
      for (std::size_t k = 0; k < 2; ++k) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n - malicious; ++j) sum += static_cast<double>(rows.row(others[j].second)[k]);
        CHECK(means.row(i)[k] == static_cast<float>(sum / static_cast<double>(n - malicious)));
      }
    }
  }
}

TEST_CASE("Rows with the same neighbours get the same bits; without malicious clients all rows are the mean") {
  Stream stream(2);
  MessageRows rows(25, 46);
  for (std::size_t c = 0; c < 25; ++c)
    for (float& value : rows.row(c)) value = static_cast<float>(stream.normal());
  auto const means = NearestNeighborMixing{TrimmedMean{}, 0}.mix(rows);
  std::vector<double> sums(46);
  for (std::size_t c = 0; c < 25; ++c)
    for (std::size_t k = 0; k < 46; ++k) sums[k] += static_cast<double>(rows.row(c)[k]);
  for (std::size_t c = 0; c < 25; ++c)
    for (std::size_t k = 0; k < 46; ++k) CHECK(means.row(c)[k] == static_cast<float>(sums[k] / 25.0));
}

TEST_CASE("Mixing in front of a robust rule combines rows as it aggregates messages") {
  Stream stream(5);
  Messages messages;
  for (std::uint32_t i = 0; i < 12; ++i) {
    LocalWeights message{std::vector<float>(4), 1 + i};
    for (float& value : message.values) value = static_cast<float>(i < 3 ? 1e12 : stream.normal());
    messages.push_back({100 + i, message, i});
  }
  NearestNeighborMixing const mixed{Krum{.malicious = 3}, 3};
  State<NearestNeighborMixing<Krum>> state;
  Vector ranker{std::vector<float>(4)};
  mixed.aggregate(all(messages), ranker, state);
  auto const rows = message_rows(all(messages));
  CHECK(ranker.weights == mixed.combine(rows, ranker.weights));
  CHECK(std::ranges::all_of(ranker.weights, [](float w) { return w > -5.0F && w < 5.0F; }));
  REQUIRE(state.inner.selected.size() == 1);
  CHECK(state.inner.selected[0] == 100 + mixed.select(rows)[0]);
  CHECK(std::ranges::equal(mixed.mix(rows).row(mixed.select(rows)[0]), ranker.weights));

  // The streaming FedAvg weights the mixed rows by the interactions of their own clients.
  State<NearestNeighborMixing<FedAvg>> none;
  NearestNeighborMixing{FedAvg{}, 3}.aggregate(all(messages), ranker, none);
  auto const means = NearestNeighborMixing{FedAvg{}, 3}.mix(rows);
  double sum = 0.0;
  for (std::size_t c = 0; c < 12; ++c) sum += static_cast<double>(c + 1) * static_cast<double>(means.row(c)[2]);
  CHECK(static_cast<double>(ranker.weights[2]) == Approx(sum / 78.0));
}

TEST_CASE("Mixing needs a message to average, and as many as the rule within") {
  CHECK(minimum_messages(NearestNeighborMixing{FedAvg{}, 3}) == 4);
  CHECK(minimum_messages(NearestNeighborMixing{Krum{.malicious = 3}, 1}) == Krum{.malicious = 3}.minimum_messages());
  CHECK_THROWS_WITH((NearestNeighborMixing{TrimmedMean{}, 3}.mix(column({1, 2, 3}))),
                    ContainsSubstring("NearestNeighborMixing: required at least 4 messages, got 3"));
  NearestNeighborMixing const mixed{TrimmedMean{.malicious = 1}, 3};
  CHECK((mixed.guaranteed(7) && !mixed.guaranteed(6)));
  NearestNeighborMixing const lax{TrimmedMean{.malicious = 3}, 1};
  CHECK((lax.guaranteed(7) && !lax.guaranteed(6)));
}
