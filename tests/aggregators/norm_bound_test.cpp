#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::same_bits;

namespace {

using Vector = archetypes::DifferentiableRanker;
using Messages = std::vector<ClientMessage<LocalWeights>>;

/// 40 clients with gaps between their positions, and different numbers of interactions.
Messages random_messages(std::size_t parameters, double size, std::uint64_t seed) {
  Stream stream(seed);
  Messages out;
  for (std::uint32_t i = 0; i < 40; ++i) {
    LocalWeights message{std::vector<float>(parameters), 1 + i % 5};
    for (float& value : message.values) value = static_cast<float>(size * stream.normal());
    out.push_back({1000 - i, std::move(message), std::uint64_t{3} * i});
  }
  return out;
}

std::span<ClientMessage<LocalWeights> const> all(Messages const& messages) { return messages; }

double distance(std::span<float const> a, std::span<float const> b) {
  long double squares = 0.0L;
  for (std::size_t k = 0; k < a.size(); ++k) {
    long double const off = static_cast<long double>(a[k]) - static_cast<long double>(b[k]);
    squares += off * off;
  }
  return static_cast<double>(std::sqrt(squares));
}

struct OfFour : FedAvg {
  [[nodiscard]] std::size_t minimum_messages() const { return 4; }
};

}  // namespace

static_assert(Aggregator<NormBound<FedOpt<>>> && Aggregator<NormBound<Krum>> && Aggregator<NormBound<NormBound<>>>);
static_assert(SelectingRule<NormBound<Krum>> && !RobustRule<NormBound<FedAvg>>);

TEST_CASE("A message beyond the bound is moved toward the broadcast weights, and its client is reported") {
  Vector ranker{{1.0F, 1.0F}};
  Messages const messages{{7, {{4.0F, 5.0F}, 1}, 0},    // the difference (3, 4) has length 5
                          {9, {{2.5F, 3.0F}, 1}, 1},    // (1.5, 2) has length 2.5: on the bound
                          {8, {{1.0F, -1.0F}, 2}, 2}};  // length 2
  State<NormBound<>> state;
  NormBound{FedAvg{}, 2.5}.aggregate(all(messages), ranker, state);
  CHECK(state.clipped == std::vector<ClientId>{7});
  CHECK(ranker.weights[0] == Approx((2.5 + 2.5 + 2 * 1.0) / 4));
  CHECK(ranker.weights[1] == Approx((3.0 + 3.0 - 2 * 1.0) / 4));
  NormBound{FedAvg{}, 100.0}.aggregate(all(messages), ranker, state);
  CHECK(state.clipped.empty());  // the report is that of the last round
}

TEST_CASE("No difference is longer than the bound, for weights of any size; its direction stays") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Stream stream(seed);
    std::size_t const d = 1 + stream.below(50);
    double const far = std::pow(10.0, 40.0 * stream.uniform() - 5.0);
    MessageRows rows(1, d);
    std::vector<float> global(d);
    for (std::size_t k = 0; k < d; ++k) {
      rows.row(0)[k] = static_cast<float>(std::min(far, 3e37) * stream.normal());
      global[k] = static_cast<float>(stream.normal());
    }
    double const before = distance(rows.row(0), global);
    double const bound = before * (0.05 + 0.9 * stream.uniform());
    MessageRows const clipped = NormBound{FedAvg{}, bound}.mix(rows, global);
    double const after = distance(clipped.row(0), global);
    CHECK(after <= bound);
    // Each coordinate is rounded by at most one unit in its last place, or in that of the weight next to it.
    double largest = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      double const c = static_cast<double>(global[k]);
      double const exact = c + (static_cast<double>(rows.row(0)[k]) - c) * bound / before;
      double const off = std::abs(static_cast<double>(clipped.row(0)[k]) - exact);
      largest = std::max(largest, off / (std::abs(exact) + std::abs(c)));
    }
    CHECK(largest < 0x1p-22);
  }
}

TEST_CASE("The next float toward another one is that of the standard library") {
  float const least = std::numeric_limits<float>::denorm_min();
  for (float const x : {0.0F, -0.0F, least, -least, 1.0F, -1.0F, 0x1p-126F, 3e38F, -7.25F})
    for (float const y : {0.5F, -0.5F, 1e38F, -1e38F, 3.4e38F})
      CHECK(detail::next_toward(x, y) == std::nextafter(x, y));
}

TEST_CASE("A bound that no message reaches leaves the bits of the wrapped aggregator and its state") {
  auto const messages = random_messages(13, 1.0, 3);
  double const unbounded = std::numeric_limits<double>::infinity();
  auto const check = [&](auto const& aggregator, auto const& plain) {
    Vector bounded{std::vector<float>(13, 0.25F)};
    Vector expected = bounded;
    State<NormBound<std::remove_cvref_t<decltype(aggregator)>>> state;
    State<std::remove_cvref_t<decltype(aggregator)>> alone;
    for (int round = 0; round < 3; ++round) {
      NormBound{aggregator, unbounded}.aggregate(all(messages), bounded, state);
      plain(expected, alone);
    }
    CHECK(same_bits(bounded, expected));
    CHECK(same_bits(state.inner, alone));
  };
  check(FedAvg{}, [&](Vector& r, NoState&) { FedAvg{}.aggregate(sum_messages(FedAvg{}, messages, r), r); });
  check(FedOpt<>{},
        [&](Vector& r, auto& state) { FedOpt<>{}.aggregate(sum_messages(FedOpt<>{}, messages, r), r, state); });
  check(Krum{}, [&](Vector& r, auto& state) { Krum{}.aggregate(all(messages), r, state); });
}

TEST_CASE("NormBound around a robust rule combines rows as it aggregates messages") {
  auto const messages = random_messages(5, 2.0, 4);
  std::vector<float> const global{0.5F, 0.0F, -1.0F, 2.0F, 0.0F};
  NormBound const bounded{Krum{.malicious = 3}, 1.0};
  Vector ranker{global};
  State<NormBound<Krum>> state;
  bounded.aggregate(all(messages), ranker, state);
  CHECK(state.clipped.size() > 30);
  CHECK(ranker.weights == bounded.combine(message_rows(all(messages)), global));
  CHECK(ranker.weights != Krum{.malicious = 3}.combine(message_rows(all(messages)), global));
  REQUIRE(state.inner.selected.size() == 1);
  auto const selected = bounded.select(message_rows(all(messages)), global);
  CHECK(selected.size() == 1);
  CHECK(messages[selected.at(0)].client == state.inner.selected[0]);
  CHECK(selected != Krum{.malicious = 3}.select(message_rows(all(messages))));
  CHECK(bounded.minimum_messages() == Krum{.malicious = 3}.minimum_messages());
  CHECK((bounded.guaranteed(9) && !bounded.guaranteed(8)));
}

TEST_CASE("NormBound passes on the least number of messages and refuses a bound that is not positive") {
  CHECK(minimum_messages(NormBound<OfFour>{}) == 4);
  CHECK(minimum_messages(NormBound<>{}) == 1);
  Vector ranker{{0.0F}};
  Messages const one{{0, {{1.0F}, 1}, 0}};
  State<NormBound<>> state;
  for (double const bound : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH((NormBound{FedAvg{}, bound}).aggregate(all(one), ranker, state),
                      ContainsSubstring("NormBound: required a bound > 0, got "));
}
