// A custom unlearner: the federation forgets clients by repeating its rounds without them, at half the local work.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <set>
#include <span>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct QuickRetrain {
  std::uint32_t interactions = 2;  ///< per client and repeated round

  bool keeps(std::uint32_t) const { return false; }  // clients store nothing for this unlearner
  void unlearn(auto& replay) const {
    for (std::uint32_t round = 1; round <= replay.rounds(); ++round)
      replay.step(round, interactions, [](auto const&...) {});  // messages are used as they are
  }
};
static_assert(fltr::Unlearner<QuickRetrain>);

// Malicious clients send large negative weights.
struct Sabotage {
  std::set<fltr::ClientId> malicious;
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>> mine, auto const&, fltr::AttackContext const&) const {
    for (auto& sent : mine) std::ranges::fill(sent.message.values, -10.0F);
  }
};

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3))
                              .with_attack(Sabotage{.malicious = {3, 5}})
                              .with_unlearner(QuickRetrain{});
  auto training = federation.start(fltr::split_iid(data.train, {.clients = 20, .interactions = 4}));
  auto const show = [&](char const* when) {
    std::cout << when << ' ' << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  training.run(30);
  show("with the malicious clients 3 and 5  ");
  training.forget({3, 5});
  show("after clients 3 and 5 are forgotten ");
  training.advance();
  std::cout << "clients in the next round: " << training.round().statistics.reported << '\n';
}
