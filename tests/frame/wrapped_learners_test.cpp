// Learner wrappers: FedProx and FedPer, alone and nested both ways.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/learners/proximal.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

static_assert(Learner<Proximal<Pdgd>> && Learner<Personal<Pdgd>>);
static_assert(Learner<Proximal<Personal<Pdgd>>> && Learner<Personal<Proximal<Pdgd>>>);
// No hook of the inner learner is lost.
static_assert(fltr::composition::NamesHook_personal<Proximal<Personal<Pdgd>>> &&
              fltr::composition::NamesHook_trains<Personal<Proximal<Pdgd>>>);
static_assert(!fltr::composition::shows_lists<Proximal<LambdaRank>>());

SplitNeuralRanker ranker() { return SplitNeuralRanker(5, {.hidden = 4}); }

auto run(auto const& learner, auto clients, int rounds = 4) {
  auto training = make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{}).start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

/// A linear ranker that shares no parameter.
struct UnsharedRanker : LinearRanker {
  using LinearRanker::LinearRanker;
  std::span<float> shared() & noexcept { return parameters().first(0); }
  std::span<float const> shared() const& noexcept { return parameters().first(0); }
};

/// Eight clients with queries of their own; client 3 has those of another set.
std::vector<Client> eight(Dataset const& data, Dataset const& of_third) {
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 8; ++i)
    clients.push_back({i, 3, i == 3 ? QueryPool(of_third) : QueryPool(data, {i, i + 8, i + 16})});
  return clients;
}

}  // namespace

TEST_CASE("FedPer: within a round, changing one client's data leaves the output layers of all others bit-identical") {
  auto const data = toy_dataset();
  auto const other = toy_dataset(40, 12, 5, 99);
  auto const check = [&](auto const& learner) {
    // In later rounds all clients share the body that client 3 helped to train.
    auto const one = run(learner, eight(data, data), 1);
    auto const two = run(learner, eight(data, other), 1);
    for (std::size_t i = 0; i < 8; ++i)
      CHECK((one.client_state(i).learner.own == two.client_state(i).learner.own) == (i != 3));
    CHECK_FALSE(same_bits(one.ranker(), two.ranker()));
  };
  check(Personal<Pdgd>{});
  check(Proximal<Personal<Pdgd>>{});
  check(Personal<Proximal<Pdgd>>{});
}

TEST_CASE("FedPer: if nothing is shared, changing one client's data never changes another client's parameters") {
  auto const data = toy_dataset();
  auto const other = toy_dataset(40, 12, 5, 99);
  auto const train = [&](Dataset const& of_third) {
    auto training = make_federation(UnsharedRanker(5), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{})
                        .start(eight(data, of_third), {.seed = 5});
    training.run(6);
    return training;
  };
  auto const one = train(data);
  auto const two = train(other);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(same_bits(one.ranker_of(i), two.ranker_of(i)) == (i != 3));
    CHECK_FALSE(same_bits(one.ranker_of(i), one.ranker()));  // it has learned
  }
  CHECK(same_bits(one.ranker(), two.ranker()));
}

TEST_CASE("FedProx and FedPer commute: FedProx acts on the shared parameters only") {
  auto const data = toy_dataset();
  auto const one = run(Proximal<Personal<Pdgd>>{{}, 0.7F}, eight(data, data));
  auto const two = run(Personal<Proximal<Pdgd>>{{{}, 0.7F}}, eight(data, data));
  CHECK(same_bits(one.ranker(), two.ranker()));
  for (std::size_t i = 0; i < 8; ++i) CHECK(same_bits(one.ranker_of(i), two.ranker_of(i)));
  CHECK_FALSE(same_bits(one.ranker(), run(Personal<Pdgd>{}, eight(data, data)).ranker()));
}
