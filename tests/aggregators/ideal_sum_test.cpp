#include <fltr/aggregators/ideal_sum.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/word_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

/// The statistics of a linear regression: a d × d matrix and a vector of d numbers. They fit the ranker, but are not as
/// many as its parameters.
struct Matrix {
  std::vector<float> values;
  bool fits(LinearRanker const& ranker, std::uint32_t) const {
    std::size_t const d = ranker.parameters().size();
    return values.size() == d * d + d;
  }
  auto fields(auto&& visit) { return visit(values); }
};
struct SendsMatrix {
  using Message = Matrix;
  static constexpr bool shows_lists = false;
  Matrix learn(LinearRanker const& ranker, auto const&, auto&) const {
    std::size_t const d = ranker.parameters().size();
    return {std::vector<float>(d * d + d, 1.0F)};
  }
};
struct SumsMatrices {
  struct Sum {
    std::vector<double> values;
    void add(Matrix const& message) {
      values.resize(message.values.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(message.values[i]);
    }
    void merge(Sum other) {
      values.resize(other.values.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
    }
    auto fields(auto&& visit) { return visit(values); }
  };
  Sum sum(auto const&) const { return {}; }
  Contribution contribution(Matrix const& m, std::span<float const>) const {
    return {{m.values.begin(), m.values.end()}};
  }
  Sum restored(ContributionSum const& sum, std::span<float const>) const { return {sum.values}; }
  void aggregate(Sum const& sum, LinearRanker& ranker) const {
    ranker.parameters()[0] += static_cast<float>(sum.values.at(0));
  }
};

}  // namespace

TEST_CASE("A message with another number of values than the ranker's shared parameters cannot be sealed") {
  std::vector<Client> clients;
  for (ClientId id = 0; id < 3; ++id) clients.push_back({id, 1, QueryPool()});
  auto const open = make_federation(LinearRanker(2), NoClicks{}, SendsMatrix{}, SumsMatrices{});
  auto training = open.start(clients);
  training.advance();
  CHECK(training.ranker().parameters()[0] == 3.0F);  // six values for two parameters are no error without a seal

  auto sealed = open.with_aggregator(IdealSum<SumsMatrices>{}).start(clients);
  CHECK_THROWS_WITH(
      sealed.advance(),
      "IdealSum: required a contribution of 2 values, one for each shared parameter of the ranker, got 6");
  CHECK(sealed.number() == 0);
}

TEST_CASE("FedAvg seals no message with another number of weights than the broadcast model") {
  std::vector<float> const broadcast(3);
  std::vector<ClientId> const asked{0, 1};
  SealContext const context{{1, asked, broadcast, 1}, 0, 1, {}};
  CHECK(IdealSum<FedAvg>{}.seal(LocalWeights{{1.0F, 2.0F, 3.0F}, 1}, context).words.size() == 4);
  for (std::size_t size : {0U, 2U, 4U})
    CHECK_THROWS_AS(IdealSum<FedAvg>{}.seal(LocalWeights{std::vector<float>(size), 1}, context), std::invalid_argument);
  CHECK_THROWS_WITH(IdealSum<FedAvg>{}.seal(LocalWeights{{1.0F, 2.0F}, 1}, context),
                    "update_of: required a message of 3 values, one for each shared parameter of the ranker, got 2");
}

TEST_CASE("A sum of words in which a client sent nothing, or vectors differ in size, is damaged, in any order") {
  using Wire = detail::SealedWords<FedAvg, std::uint32_t>;
  using Sum = detail::WordSum<Wire, std::uint32_t>;
  auto const sum_of = [](std::vector<Wire> const& wires) {
    Sum sum;
    for (Wire const& wire : wires) sum.add(wire);
    return sum;
  };
  Wire const one{{1, 2}};
  CHECK_FALSE(sum_of({one, one}).damaged);
  CHECK(sum_of({one, one}).total == std::vector<std::uint32_t>{2, 4});
  for (Wire const& bad : {Wire{{}}, Wire{{1}}, Wire{{1, 2, 3}}}) {
    CHECK(sum_of({bad, one}).damaged);
    CHECK(sum_of({one, bad}).damaged);
    Sum left = sum_of({one});
    left.merge(sum_of({one, bad}));
    CHECK(left.damaged);
    Sum right = sum_of({one, bad});
    right.merge(sum_of({one}));
    CHECK(right.damaged);
    Sum sound = sum_of({one});
    sound.merge(sum_of({bad}));
    CHECK(sound.damaged);
  }
}
