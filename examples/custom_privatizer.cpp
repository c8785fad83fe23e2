// A privatizer of one's own: every weight is rounded, at random and without bias, to a multiple of a step, and the norm
// is held down after every local step. It makes messages coarse; it claims no ε, so it has no `loss`.
#include <cmath>
#include <span>

#include <fltr/fltr.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

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
static_assert(fltr::Privatizer<RandomRounding>);  // an error names the missing requirement
// [/policy]

int main(int argc, char**) {
  if (argc > 1) {
    fmt::print(stderr, "usage: custom_privatizer, without arguments\n");
    return 2;
  }
  auto const data =
      fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5), fltr::Normalization::query);
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  auto const show = [&](char const* name, auto const& federation) {
    for (auto const& round : federation.rounds(clients) | ranges::views::take(30))
      if (round.number == 30)
        fmt::print("{:14} {:.4f}\n", name, fltr::evaluate(round.ranker, data.test, fltr::Ndcg{.cutoff = 10}));
  };
  auto const plain = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  show("plain", plain);
  show("rounded", plain.with_privatizer(RandomRounding{}));
  show("coarse", plain.with_privatizer(RandomRounding{.step = 1.0}));
  show("coarse + noise", plain.with_privatizer(fltr::Chain(RandomRounding{}, fltr::GammaNoise{.epsilon = 1.0})));
}
