// A custom privatizer: every weight is rounded to a multiple of a step, at random and without bias, and the norm of the
// weights is clipped after every local step. It states no ε, so it has no `loss`.
#include <cmath>
#include <iostream>
#include <span>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

// [policy]
struct RandomRounding {
  double step = 0.25;
  double bound = 5.0;

  void constrain(std::span<float> weights) const { fltr::clip_norm(weights, bound); }

  fltr::LocalWeights privatize(fltr::LocalWeights message, fltr::PrivacyContext const& context) const {
    auto stream = context.streams.of(fltr::Purpose::privacy);
    for (float& v : message.values) {
      double const steps = static_cast<double>(v) / step;
      v = static_cast<float>(step * std::floor(steps + stream.uniform()));
    }
    return message;
  }
};
static_assert(fltr::Privatizer<RandomRounding>);  // checks the required members
// [/policy]

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const show = [&](char const* name, auto const& federation) {
    auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
    training.run(30);
    std::cout << name << ' ' << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  auto const plain = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  show("not rounded          ", plain);
  show("step 0.25            ", plain.with_privatizer(RandomRounding{}));
  show("step 1               ", plain.with_privatizer(RandomRounding{.step = 1.0}));
  show("step 0.25, then noise", plain.with_privatizer(fltr::Chain(RandomRounding{}, fltr::GammaNoise{.epsilon = 1.0})));
}
