// A custom attack: malicious clients send the opposite of what they learned, several times as large.
#include <cstddef>
#include <iostream>
#include <set>
#include <span>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct ReversedUpdate {
  std::set<fltr::ClientId> malicious;
  float factor = 3.0F;

  // `mine` are the honest messages of the malicious clients of this round. The broadcast weights plus the update are
  // the honest weights, so the attackers send the broadcast weights minus `factor` times the update.
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>> mine, fltr::ParametricRanker auto const& global,
              fltr::AttackContext const&) const {
    auto const weights = fltr::shared_parameters(global);
    for (auto& sent : mine)
      for (std::size_t k = 0; k < weights.size(); ++k)
        sent.message.values[k] = weights[k] - factor * (sent.message.values[k] - weights[k]);
  }
};
static_assert(fltr::Attack<ReversedUpdate>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const show = [&](char const* name, auto const& federation) {
    auto training = federation.start(fltr::split_iid(data.train, {.clients = 20, .interactions = 4}));
    training.run(30);
    std::cout << name << ' ' << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  auto const honest = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  show("honest clients only        ", honest);
  show("2 of 20 clients malicious  ", honest.with_attack(ReversedUpdate{.malicious = {0, 1}}));
  show("6 of 20 clients malicious  ", honest.with_attack(ReversedUpdate{.malicious = {0, 1, 2, 3, 4, 5}}));
}
