// A Training is saved in the middle and restored: the rest of the run has the same bits.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>
#include <fltr/unlearners/retrain.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// `go_on` continues a training from the middle to the end.
void check_resumed(auto const& federation, auto clients, auto const& go_on) {
  RunOptions const options{.seed = 7};
  auto whole = federation.start(clients, options);
  for (int i = 0; i < 4; ++i) whole.advance();
  auto const saved = field_bytes(whole);
  go_on(whole);

  auto resumed = federation.start(clients, options);
  restore(resumed, saved);
  CHECK(resumed.number() == 4);
  resumed.expect_released(5);  // as a Checkpointer says; otherwise the privacy account has one more assumption
  go_on(resumed);
  CHECK(field_bytes(resumed) == field_bytes(whole));
  CHECK(resumed.round().statistics.reported == whole.round().statistics.reported);

  // A truncated state is refused, and changes nothing.
  auto other = federation.start(clients, options);
  auto const fresh = field_bytes(other);
  for (std::size_t size : {std::size_t{0}, saved.size() / 2, saved.size() - 1})
    CHECK_THROWS_AS(restore(other, std::span(saved).first(size)), FormatError);
  CHECK(field_bytes(other) == fresh);
}

}  // namespace

TEST_CASE("A restored FPDGD training with GammaNoise continues with the same bits") {
  auto const data = toy_dataset();
  check_resumed(fpdgd(LinearRanker(5, Initialization::random), CascadeModel::informational(3), {}, GammaNoise{}),
                split_iid(data, {.clients = 40, .interactions = 3}), [](auto& training) {
                  for (int i = 0; i < 3; ++i) training.advance();
                  CHECK(training.round().privacy->epsilon_nominal == Approx(7 * 4.5));
                });
}

TEST_CASE("A restored FOLtR-ES training with dropout and Adam continues with the same bits") {
  auto const data = toy_dataset();
  check_resumed(foltr_es(NeuralRanker(5, {.hidden = 3}), CascadeModel::informational(3)),
                Sampled{Dropout{split_iid(data, {.clients = 60, .interactions = 4}), 0.3}, 30}, [](auto& training) {
                  for (int i = 0; i < 3; ++i) training.advance();
                });
}

TEST_CASE("A restored FedPer training continues and forgets with the same bits") {
  auto const data = toy_dataset();
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 20; ++i) clients.push_back({i, 3, QueryPool(data, {i, 39 - i})});
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{});
  auto const forgets = [](auto& training) {
    training.advance();
    training.forget({3, 4});
    training.advance();
    CHECK(training.round().statistics.reported == 18);
  };
  check_resumed(federation.with_unlearner(FedEraser{.interval = 2, .local_steps = 1}), clients, forgets);
  check_resumed(federation.with_unlearner(Retrain{}), clients, forgets);
}

TEST_CASE("restore refuses the state of another run and names the difference") {
  auto const data = toy_dataset();
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{});
  auto const eight = split_iid(data, {.clients = 8, .interactions = 2});
  auto const saved = field_bytes(federation.start(eight));
  auto nine = federation.start(split_iid(data, {.clients = 9, .interactions = 2}));
  CHECK_THROWS_WITH(restore(nine, saved), "Training: required a training with a number of clients of 9, got 8");
  auto smaller = federation.with_ranker(SplitNeuralRanker(5, {.hidden = 3})).start(eight);
  CHECK_THROWS_WITH(restore(smaller, saved), Catch::Contains("a number of parameters of 21, got 28"));
  auto other_seed = federation.start(eight, {.seed = 2});
  CHECK_THROWS_WITH(restore(other_seed, saved), "Training: required a training with seed 2, got 1");
}

namespace {

/// Has the same bytes as a Training of LinearRanker, FedAvg and a privatizer with a loss. Tests change single fields.
struct Forged {
  std::uint64_t seed = 1;
  std::uint64_t clients = 8;
  LinearRanker ranker{5};
  LinearRanker start{5};
  NoState server{};
  std::vector<float> states{};  // no client keeps anything
  NoState personal{};
  std::vector<ClientId> gone{};
  std::uint32_t number = 3;
  std::uint32_t failed_replays = 0;
  std::uint32_t discarded = 0;
  struct Chunk {  // of clients, with the numbers of their sums
    std::uint32_t number = 0;
    std::uint32_t bits = 0;
    std::vector<std::uint64_t> words{};
    auto fields(auto&& visit) { return visit(number, bits, words); }
  };
  struct {
    std::uint64_t clients = 8;
    double nominal = 1.0;
    double delta = 0.0;
    std::string assumption{};
    std::string reason{};
    std::vector<PrivacySum> sums{PrivacySum{.epsilon = 2.0}};
    std::vector<std::uint64_t> members{8};
    std::map<std::uint32_t, Chunk> sum_of{};
    std::vector<std::pair<double, double>> single{};
    auto fields(auto&& visit) {
      return visit(clients, nominal, delta, assumption, reason, sums, members, sum_of, single);
    }
  } spent{};
  detail::Releases releases{
      .trace = 4, .branches = {{0, {.first = 0, .charged = 3, .traces = {1, 2, 3, 4}}}}, .begun = 3};
  RoundStatistics statistics{};
  auto fields(auto&& visit) {
    return visit(seed, clients, ranker, start, server, states, personal, gone, number, failed_replays, discarded, spent,
                 releases, statistics);
  }
};

}  // namespace

TEST_CASE("restore refuses a state with impossible values") {
  auto const data = toy_dataset();
  auto const fresh = fpdgd(LinearRanker(5), CascadeModel::perfect(3), {}, GammaNoise{})
                         .start(split_iid(data, {.clients = 8, .interactions = 2}));
  auto const accepts = [&](auto const& change) {
    Forged forged;
    change(forged);
    auto training = fresh;
    try {
      restore(training, field_bytes(forged));
    } catch (FormatError const&) {
      CHECK(field_bytes(training) == field_bytes(fresh));
      return false;
    }
    return true;
  };
  REQUIRE(accepts([](Forged&) {}));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sums[0].epsilon = std::numeric_limits<double>::quiet_NaN(); }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sums[0].rho = -1e9; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sums[0].rdp.pop_back(); }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sums[0].rdp[7] = -1.0; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sums.clear(); }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.delta = -1.0; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.clients = 7; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.members = {7}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sum_of[0] = {.number = 1}; }));  // of one sum
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sum_of[1] = {}; }));             // of clients from 4,096 on
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sum_of[0] = {.bits = 1}; }));    // without words
  CHECK_FALSE(
      accepts([](Forged& f) { f.spent.sum_of[0] = {.bits = 1, .words = std::vector<std::uint64_t>(64, 128)}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.sum_of[0] = {.bits = 3, .words = std::vector<std::uint64_t>(192)}; }));
  CHECK(accepts([](Forged& f) { f.spent.sum_of[0] = {.bits = 1, .words = std::vector<std::uint64_t>(64)}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.spent.single.resize(8); }));  // beside the sums
  CHECK(accepts([](Forged& f) {
    f.spent.single.resize(8);
    f.spent.sums.clear();
    f.spent.members.clear();
  }));
  CHECK_FALSE(accepts([](Forged& f) { f.number = 0xFFFFFFFFU; }));
  CHECK_FALSE(accepts([](Forged& f) { f.discarded = 4; }));  // of three rounds
  CHECK_FALSE(accepts([](Forged& f) { f.gone = {0, 1, 2, 3, 4, 5, 6, 7}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.gone = {77}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.gone = {3, 3}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.gone = {3, 2}; }));
  CHECK_FALSE(accepts([](Forged& f) { f.ranker = LinearRanker(6); }));
  CHECK_FALSE(accepts([](Forged& f) { f.start = LinearRanker(4); }));
  CHECK(accepts([](Forged& f) { f.gone = {2, 3}; }));
  using Branch = detail::Releases::Branch;
  auto const accepts_traces = [&](auto const& change) {
    return accepts([&](Forged& f) { change(f.releases, f.releases.branches[0]); });
  };
  CHECK(accepts_traces([](auto& all, Branch&) { all.begun = 5; }));
  CHECK_FALSE(accepts_traces([](auto& all, Branch&) { all.begun = 2; }));  // of three charged rounds
  CHECK_FALSE(accepts_traces([](auto& all, Branch&) { all.begun = 0xFFFFFFFFU; }));
  CHECK_FALSE(accepts_traces([](auto& all, Branch&) { all.trace = 5; }));   // not that of the branch
  CHECK_FALSE(accepts_traces([](auto& all, Branch&) { all.branch = 1; }));  // there is no such branch
  CHECK_FALSE(accepts_traces([](auto& all, Branch&) { all.branches.clear(); }));
  CHECK_FALSE(accepts_traces([](auto&, Branch& one) { one.traces.clear(); }));
  CHECK_FALSE(accepts_traces([](auto&, Branch& one) { one.traces.pop_back(); }));    // none after the last round
  CHECK_FALSE(accepts_traces([](auto&, Branch& one) { one.traces.push_back(5); }));  // of a round that is not charged
  CHECK_FALSE(accepts_traces([](auto&, Branch& one) { one.first = 1; }));
  CHECK_FALSE(accepts_traces([](auto&, Branch& one) { one.charged = 2; }));
  CHECK_FALSE(accepts_traces([](auto&, Branch& one) { one.charged = 0xFFFFFFFFU; }));
  CHECK_FALSE(accepts_traces([](auto& all, Branch&) { all.branches[7] = {}; }));
  CHECK_FALSE(accepts_traces(
      [](auto& all, Branch&) { all.branches[7] = {.first = 0xFFFFFFFEU, .charged = 0xFFFFFFFEU, .traces = {1, 2}}; }));
  CHECK(accepts_traces([](auto& all, Branch&) { all.branches[7] = {.first = 2, .charged = 5, .traces = {1, 2}}; }));
}

TEST_CASE("restore refuses a ranker that is not consistent") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 3, .interactions = 2});
  auto training = fpdgd(NeuralRanker(5, {.hidden = 3}), CascadeModel::perfect(3)).start(clients);
  auto bytes = field_bytes(training);
  // After the seed and the number of clients come the features and the hidden units of the ranker, 8 bytes each.
  REQUIRE(bytes[24] == std::byte{3});
  bytes[25] = std::byte{11};  // 3 + 256 · 11 units
  CHECK_THROWS_AS(restore(training, bytes), FormatError);
}

namespace {

struct KeepsNothing : Pdgd {
  struct State {
    auto fields(auto&& visit) { return visit(); }
  };
};

}  // namespace

TEST_CASE("A State without members needs no memory per client and can be restored") {
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), CascadeModel::perfect(3), KeepsNothing{}, FedAvg{});
  auto training = federation.start(split_iid(data, {.clients = 1000, .interactions = 1}));
  training.advance();
  CHECK_NOTHROW(restore(training, field_bytes(training)));
  CHECK(training.client_states().empty());
}

TEST_CASE("A trained ranker is not drawn again at the start, also with a random initialization") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 10, .interactions = 2});
  auto const check = [&](auto ranker) {
    auto first = fpdgd(ranker, CascadeModel::perfect(3)).start(clients);
    auto const drawn = first.ranker();
    CHECK_FALSE(same_bits(drawn, ranker));
    first.advance();
    CHECK(same_bits(fpdgd(first.ranker(), CascadeModel::perfect(3)).start(clients, {.seed = 99}).ranker(),
                    first.ranker()));
  };
  check(LinearRanker(5, Initialization::random));
  check(NeuralRanker(5, {.hidden = 3}));
  auto by_hand = NeuralRanker(5, {.hidden = 3});
  by_hand.parameters()[0] = 1.0F;
  CHECK(same_bits(fpdgd(by_hand, CascadeModel::perfect(3)).start(clients).ranker(), by_hand));
}
