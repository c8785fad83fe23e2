#include <fltr/presets/merge_forests.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/partition/by_category.hpp>
#include <fltr/presets/stacking.hpp>

#include "support/catch.hpp"
#include "support/plain_threads.hpp"

namespace {

using namespace fltr;
using fltr::testing::PlainThreads;

/// Queries with documents of category 1, of category 2, or of both: their first feature. Three more features are drawn,
/// and `grade_of(is_first, second feature, third feature, stream)` says what is relevant.
Dataset of_two_categories(std::size_t queries, std::uint64_t seed, auto const& grade_of) {
  constexpr std::size_t documents = 16;
  Stream stream(seed);
  Matrix<float> rows({queries * documents, std::size_t{4}});
  std::vector<Grade> grades;
  for (std::size_t q = 0; q < queries; ++q) {
    std::uint32_t const kind = stream.below(3);
    for (std::size_t d = 0; d < documents; ++d) {
      std::size_t const i = q * documents + d;
      bool const is_first = kind == 0 || (kind == 2 && stream.below(2) == 0);
      rows(i, 0) = is_first ? 1.0F : 2.0F;
      for (std::size_t k = 1; k < 4; ++k) rows(i, k) = static_cast<float>(stream.uniform());
      grades.push_back(grade_of(is_first, rows(i, 1), rows(i, 2), stream));
    }
  }
  return make_dataset(rows, grades, std::vector<std::size_t>(queries, documents));
}

/// What is relevant differs by category: documents of category 1 with a high second feature, of category 2 with a low
/// one, and all with a high third one.
Dataset two_tastes(std::size_t queries, std::uint64_t seed) {
  return of_two_categories(queries, seed, [](bool is_first, float second, float third, Stream& stream) -> Grade {
    double const taste = (is_first ? 1.0 : -1.0) * (static_cast<double>(second) - 0.5);
    double const utility = taste + 0.7 * (static_cast<double>(third) - 0.5) + 0.2 * stream.normal();
    return utility > 0.4 ? 2 : utility > 0.2 ? 1 : 0;
  });
}

/// Relevant are documents with one of the second and third feature high, but not both. Either feature alone says
/// nothing about it.
Dataset one_or_the_other(std::size_t queries, std::uint64_t seed) {
  return of_two_categories(queries, seed, [](bool, float second, float third, Stream&) -> Grade {
    return (second > 0.5F) != (third > 0.5F) ? 1 : 0;
  });
}

LambdaMart small() { return {.trees = 15, .leaves = 6, .min_data = 10}; }

struct Sets {
  Dataset train = two_tastes(150, 1);
  Dataset vali = two_tastes(60, 2);
  Dataset test = two_tastes(120, 3);

  [[nodiscard]] std::vector<MergingClient> clients() const {
    ByCategory const how{.category = 1.0F, .rule = CategoryRule::exclusive};
    return how.split(train, categories_of(train, 0), vali, categories_of(vali, 0));
  }
};

std::vector<float> scores_of(auto const& ranker, Dataset const& data) {
  std::vector<float> all;
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::vector<float> scores(data[q].document_count());
    ranker.score(data[q], scores);
    all.insert(all.end(), scores.begin(), scores.end());
  }
  return all;
}

}  // namespace

TEST_CASE("Each client trains on its queries and merges on its merge queries") {
  Sets const sets;
  auto const clients = sets.clients();
  auto training = merge_forests(4, small()).start(clients, {.seed = 3});
  training.advance();
  auto const first = training.ranker_of(0);
  auto const second = training.ranker_of(1);

  for (std::size_t i = 0; i < 2; ++i) {
    auto const alone = small().train(Serial{}, clients[i].queries, clients[i].validation,
                                     Streams{3, 1, static_cast<std::uint32_t>(i)});
    CHECK(first.local[i] == alone);
    CHECK(second.local[i] == alone);
    CHECK(alone.trees().size() > 3);
  }
  std::vector<double> const half{.5, .5};
  CHECK(training.ranker() == combine(first.local, half));
  CHECK(first.forest() == combine(first.local, first.weights));
  CHECK(first.weights != second.weights);

  auto const ndcg = [&](auto const& ranker) { return evaluate(ranker, sets.test, Ndcg{}); };
  for (auto const& merged : {first, second}) {
    CHECK(ndcg(merged) > ndcg(first.local[0]));
    CHECK(ndcg(merged) > ndcg(first.local[1]));
  }
}

TEST_CASE("Stacked forests have a higher nDCG than the local forests") {
  Sets const sets;
  LambdaMart const top{.trees = 20, .leaves = 4, .min_data = 10};
  auto training = merge_forests(4, small(), stacking(top)).start(sets.clients(), {.seed = 3});
  training.advance();
  auto const plain = [&] {
    auto other = merge_forests(4, small()).start(sets.clients(), {.seed = 3});
    other.advance();
    return other.ranker_of(0);
  }();
  auto const ndcg = [&](auto const& ranker) { return evaluate(ranker, sets.test, Ndcg{}); };
  for (std::size_t i = 0; i < 2; ++i) {
    auto const merged = training.ranker_of(i);
    REQUIRE(merged.local.forests().size() == 2);
    CHECK(merged.local.forests()[0] == plain.local[0]);
    CHECK(merged.local.forests()[1] == plain.local[1]);
    auto const gains = merged.gain_importance();
    REQUIRE(gains.size() == 6);
    CHECK(ndcg(merged) > ndcg(plain.local[0]));
    CHECK(ndcg(merged) > ndcg(plain.local[1]));
  }
  CHECK(scores_of(training.ranker_of(0), sets.test) != scores_of(training.ranker_of(1), sets.test));
  CHECK(training.ranker() == combine(plain.local, std::vector<double>{.5, .5}));
}

TEST_CASE("A stacked forest splits first on local scores if no single feature has their information") {
  Dataset const train = one_or_the_other(200, 1);
  Dataset const vali = one_or_the_other(80, 2);
  auto const clients = ByCategory{.category = 1.0F, .rule = CategoryRule::exclusive}.split(
      train, categories_of(train, 0), vali, categories_of(vali, 0));
  LambdaMart const top{.trees = 20, .leaves = 4, .min_data = 10};
  auto training = merge_forests(4, small(), stacking(top)).start(clients, {.seed = 3});
  training.advance();
  for (std::size_t i = 0; i < 2; ++i) {
    auto const gains = training.ranker_of(i).gain_importance();
    REQUIRE(gains.size() == 6);
    double const best_score = std::max(gains[4], gains[5]);
    for (std::size_t feature = 0; feature < 4; ++feature) CHECK(gains[feature] < best_score / 10);
  }
}

TEST_CASE("A client without merge queries gets the mean of all forests") {
  Sets const sets;
  auto clients = sets.clients();
  LambdaMart const top{.trees = 20, .leaves = 4, .min_data = 10};
  auto const result = [&](std::size_t i) {
    auto training = merge_forests(4, small(), stacking(top)).start(clients, {.seed = 3});
    training.advance();
    return std::pair(training.ranker_of(i), training.ranker());
  };
  auto const before = result(1).first;
  clients[0].merge = {};
  CHECK(result(1).first == before);
  auto const [alone, mean] = result(0);
  CHECK_FALSE(alone.learned());
  auto const scores = scores_of(alone, sets.test);
  auto const expected = scores_of(mean, sets.test);
  for (std::size_t d = 0; d < scores.size(); ++d) REQUIRE(scores[d] == Approx(expected[d]).margin(1e-6));
}

TEST_CASE("Forests and merged models do not depend on the Execution") {
  Sets const sets;
  auto const results = [&](auto const& federation) {
    auto training = federation.start(sets.clients(), {.seed = 3});
    training.advance();
    auto all = scores_of(training.ranker(), sets.test);
    for (std::size_t i = 0; i < 2; ++i) {
      auto const own = scores_of(training.ranker_of(i), sets.test);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
  auto const expected = results(merge_forests(4, small()));
  CHECK(results(merge_forests(4, small(), LinearCombination{}, PlainThreads{3})) == expected);
  CHECK(results(merge_forests(4, small(), LinearCombination{}, Threads{2})) == expected);
  CHECK(results(merge_forests(4, small()).with_execution(PlainThreads{3})) == expected);
  CHECK(results(make_federation(Forest(4), NoClicks{}, small(), LinearCombination{})) == expected);

  LambdaMart const top{.trees = 20, .leaves = 4, .min_data = 10, .query_fraction = 0.8};
  auto const stacked = results(merge_forests(4, small(), stacking(top)));
  CHECK(results(merge_forests(4, small(), stacking(top, PlainThreads{3}), Threads{2})) == stacked);
  CHECK(results(merge_forests(4, small(), stacking(top)).with_execution(PlainThreads{2})) == stacked);
}

TEST_CASE("An observer can end the training of all forests after any tree") {
  Sets const sets;
  std::size_t asked = 0;
  auto const few = [&asked](TreeRound const& round) {
    ++asked;
    return round.trees.size() < 3;
  };
  auto training = merge_forests(4, small(), stacking(small(), Serial{}, few), Serial{}, few).start(sets.clients());
  training.advance();
  // Before the first tree and after each of three, for two local and two stacked forests.
  CHECK(asked == 4 * 4);
  CHECK(training.ranker().trees().size() <= 2 * 3);
  CHECK(training.ranker_of(0).stacked.trees().size() <= 3);
}

TEST_CASE("A client without queries sends a forest without trees") {
  Sets const sets;
  auto clients = sets.clients();
  clients[0].queries = {};
  auto training = merge_forests(4, small()).start(clients);
  training.advance();
  CHECK(training.ranker_of(1).local[0].trees().empty());
  CHECK(training.ranker_of(1).local[0].feature_count() == 4);
  CHECK(training.round().statistics.rejected == 0);
}
