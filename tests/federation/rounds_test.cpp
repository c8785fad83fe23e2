#include <fltr/federation/rounds.hpp>

#include <cstdint>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/take.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

auto federation() { return fltr::fpdgd(fltr::LinearRanker(5), fltr::CascadeModel::perfect(3)); }
auto clients(fltr::Dataset const& data) { return fltr::split_iid(data, {.clients = 20, .interactions = 2}); }

}  // namespace

TEST_CASE("A round runs when its iterator is dereferenced or incremented") {
  auto const data = toy_dataset();
  auto training = federation().start(clients(data));
  auto rounds = training.rounds();
  CHECK(training.number() == 0);
  auto it = rounds.begin();
  CHECK(training.number() == 0);
  CHECK((*it).number == 1);
  CHECK((*it).number == 1);
  CHECK(training.number() == 1);
  ++it;
  CHECK(training.number() == 1);
}

TEST_CASE("take, drop, stride and break run the expected number of rounds") {
  auto const data = toy_dataset();
  auto training = federation().start(clients(data));
  std::vector<std::uint32_t> seen;
  for (auto const& round : training.rounds() | ranges::views::take(5)) seen.push_back(round.number);
  CHECK(seen == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
  CHECK(training.number() == 5);

  seen.clear();
  for (auto const& round : training.rounds() | ranges::views::take(3)) seen.push_back(round.number);
  CHECK(seen == std::vector<std::uint32_t>{6, 7, 8});

  seen.clear();
  for (auto const& round : training.rounds() | ranges::views::drop(4) | ranges::views::take(1))
    seen.push_back(round.number);
  CHECK(seen == std::vector<std::uint32_t>{13});

  seen.clear();
  for (auto const& round : training.rounds() | ranges::views::stride(3) | ranges::views::take(2))
    seen.push_back(round.number);
  CHECK(seen == std::vector<std::uint32_t>{14, 17});

  for (auto const& round : training.rounds())
    if (round.number == 22) break;
  CHECK(training.number() == 22);
}

TEST_CASE("Collected rounds hold different rankers") {
  auto const data = toy_dataset();
  auto const all = federation().rounds(clients(data)) | ranges::views::take(4) | ranges::to<std::vector>();
  REQUIRE(all.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(all[i].number == i + 1);
  CHECK_FALSE(same_bits(all[0].ranker, all[3].ranker));
}

TEST_CASE("The range ends before a round that could exceed the privacy budget") {
  auto const data = toy_dataset();
  auto const federated =
      federation().with_privatizer(fltr::GammaNoise{.epsilon = 1.0, .sensitivity = 2.0, .colluding = 0});
  // Accounted per round: 1 · √5 = 2.236; a budget of 10 pays for four rounds. All clients must report:
  // otherwise noise could be missing, and the worst price of a round would be infinite.
  std::uint64_t const all = clients(data).size();
  std::uint32_t last = 0;
  for (auto const& round :
       federated.rounds(clients(data), {.minimum_reports = all, .epsilon_budget = 10.0, .delta = 0.0})) {
    last = round.number;
    REQUIRE(round.privacy);
    CHECK(round.privacy->epsilon_nominal == Approx(round.number));
    CHECK(round.privacy->epsilon_accounted == Approx(round.number * std::sqrt(5.0)));
    REQUIRE(last < 10);
  }
  CHECK(last == 4);
  for (auto const& round : federated.rounds(clients(data), {.minimum_reports = all, .epsilon_budget = 1.0})) {
    static_cast<void>(round);
    FAIL("a budget below the first round's price runs no round");
  }
  for (auto const& round : federated.rounds(clients(data), {.epsilon_budget = 10.0})) {
    static_cast<void>(round);
    FAIL("a finite budget runs no round whose worst price has no bound");
  }
}

TEST_CASE("A copy of a training continues independently") {
  auto const data = toy_dataset();
  auto one = federation().start(clients(data), {.seed = 3});
  one.advance();
  auto two = one;
  one.advance();
  CHECK(two.number() == 1);
  two.advance();
  CHECK(same_bits(one.ranker(), two.ranker()));
  auto other_seed = federation().start(clients(data), {.seed = 4});
  other_seed.advance();
  other_seed.advance();
  CHECK_FALSE(same_bits(one.ranker(), other_seed.ranker()));
}
