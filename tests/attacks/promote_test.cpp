#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fltr/attacks/promote.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/mixture_model.hpp>
#include <fltr/click_models/per_client.hpp>
#include <fltr/data/displayed_list.hpp>
#include <fltr/data/feature_pattern.hpp>
#include <fltr/metrics/target_ranks.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/poisoned.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// Clicks documents whose feature 0 exceeds one half: a ClickModel that reads features.
struct ClicksFeatureZero {
  void click(DisplayedList const& list, std::span<std::uint8_t> clicks, Stream&) const {
    for (std::size_t i = 0; i < list.size(); ++i) clicks[i] = list.features(i)[0] > 0.5F ? 1 : 0;
  }
};
static_assert(ClickModel<ClicksFeatureZero>);
static_assert(ClickModel<PerClient<ClicksFeatureZero>> && ClickModel<MixtureModel<ClicksFeatureZero>>);

/// One query with the feature rows (0), (1), …, and grades 2, 1, 0, 0, ….
Dataset numbered(std::size_t documents) {
  Matrix<float> rows({documents, std::size_t{1}});
  std::vector<Grade> grades(documents, 0);
  for (std::size_t d = 0; d < documents; ++d) rows(d, 0) = static_cast<float>(d);
  grades[0] = 2;
  grades[1] = 1;
  return make_dataset(rows, grades, std::vector<std::size_t>{documents});
}

}  // namespace

TEST_CASE("FeaturePattern: all ranges, both ends included") {
  FeaturePattern const pattern{{{.feature = 0, .low = 1.0F, .high = 2.0F}, {.feature = 2, .low = 5.0F}}};
  auto const matches = [&](float first, float third) {
    return pattern.matches(std::vector<float>{first, 9.0F, third});
  };
  CHECK(matches(1.0F, 5.0F));
  CHECK(matches(2.0F, 7.0F));
  CHECK_FALSE(matches(0.9F, 7.0F));
  CHECK_FALSE(matches(2.1F, 7.0F));
  CHECK_FALSE(matches(1.5F, 4.9F));
  CHECK_THROWS_WITH((FeaturePattern{{{.feature = 3}}}.matches(std::vector<float>{1, 2, 3})),
                    "FeaturePattern: required features below the number of features of the data, got 3");
}

TEST_CASE("FeaturePattern::highest takes the share of documents with the highest values") {
  auto const data = numbered(10);
  auto const count = [&](double share) {
    auto const pattern = FeaturePattern::highest(data, 0, share);
    std::size_t n = 0;
    for (std::size_t d = 0; d < 10; ++d) n += pattern.matches(data[0].row(d)) ? 1U : 0U;
    return n;
  };
  CHECK(count(0.1) == 1);
  CHECK(count(0.25) == 3);
  CHECK(count(1.0) == 10);
  CHECK(FeaturePattern::highest(data, 0, 0.2).matches(std::vector<float>{8.0F}));
  CHECK_THROWS_AS(FeaturePattern::highest(data, 1, 0.2), std::invalid_argument);
  CHECK_THROWS_AS(FeaturePattern::highest(data, 0, 0.0), std::invalid_argument);
}

TEST_CASE("target_ranks: ranks from 1 over complete lists") {
  auto const data = numbered(12);
  FeaturePattern const targets{{{.feature = 0, .low = 2.0F, .high = 3.0F}}};
  auto const descending = target_ranks(testing::ranker_of({1.0F}), data, targets);  // 11, 10, …, 3, 2, 1, 0
  CHECK(descending.mean_rank() == 9.5);                                             // ranks 9 and 10
  CHECK(descending.top_10_share() == 1.0);
  CHECK((descending.targets == 2 && descending.queries == 1));
  auto const ascending = target_ranks(testing::ranker_of({-1.0F}), data, {{{.feature = 0, .low = 9.0F}}});
  CHECK(ascending.mean_rank() == 11.0);  // ranks 10, 11 and 12
  CHECK(ascending.top_10_share() == 1.0 / 3);
  auto const none = target_ranks(testing::ranker_of({1.0F}), data, {{{.feature = 0, .low = 100.0F}}});
  CHECK((none.mean_rank() == 0.0 && none.queries == 0));
}

TEST_CASE("Promoting users click the displayed targets, whatever their grade") {
  auto const data = numbered(6);
  std::vector<std::uint32_t> const order{5, 0, 3, 1};
  std::vector<Grade> const grades{0, 2, 0, 1};
  DisplayedList const list(data[0], order, grades);
  CHECK(list.features(2)[0] == 3.0F);
  Promote const attack{{0}, {{{.feature = 0, .low = 3.0F}}}};
  std::vector<std::uint8_t> clicks(4, 9);
  Stream stream(1);
  attack.clicks(CascadeModel::perfect(3)).click(list, clicks, stream);
  CHECK(clicks == std::vector<std::uint8_t>{1, 0, 1, 0});
  CHECK_THROWS_WITH(Promote{}.clicks(CascadeModel::perfect(3)).click(list, clicks, stream),
                    "Promote: required targets with at least one range of a feature, got none");
  // Wrappers pass the features on.
  MixtureModel<ClicksFeatureZero>{{{}, {}}}.click(list, clicks, stream);
  CHECK(clicks == std::vector<std::uint8_t>{1, 0, 1, 1});
}

TEST_CASE("Promote raises the targets: their mean rank falls with the number of malicious clients") {
  auto const data = toy_dataset(60);
  auto const targets = FeaturePattern::highest(data, 0, 0.15);  // grades fall with feature 0
  auto const clients = split_iid(data, {.clients = 10, .interactions = 4});
  auto const honest = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const rank_with = [&](std::uint64_t malicious) {
    auto training =
        honest.with_attack(Promote{MaliciousClients::first(malicious), targets}).start(clients, {.seed = 3});
    training.run(60);
    return target_ranks(training.ranker(), data, targets).mean_rank();
  };
  auto training = honest.start(clients, {.seed = 3});
  training.run(60);
  double const before = target_ranks(training.ranker(), data, targets).mean_rank();
  auto none = honest.with_attack(Promote{{}, targets}).start(clients, {.seed = 3});
  none.run(60);
  CHECK(same_bits(none.ranker(), training.ranker()));
  double const three = rank_with(3);
  double const nine = rank_with(9);
  CAPTURE(before, three, nine);
  // The list has 12 documents. Honest clients put the targets into the lower half; nine of ten malicious clients put
  // them on top.
  CHECK(before > 7.0);
  CHECK(three < before - 0.2);
  CHECK(nine < 4.0);
}
