// A ranker of one's own: score(d) = Σ_k w_k d_k + v_k d_k², so that a feature may be best in the middle of its range.
// Three functions make it a fltr::DifferentiableRanker, which is all that PDGD and FedAvg ask for.
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/fltr.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

class QuadraticRanker {
 public:
  explicit QuadraticRanker(std::size_t features) : features_(features), weights_(2 * features) {}

  void score(fltr::QueryView query, std::span<float> scores) const {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      auto const d = query.row(i);
      scores[i] = 0;
      for (std::size_t k = 0; k < features_; ++k)
        scores[i] += weights_[k] * d[k] + weights_[features_ + k] * d[k] * d[k];
    }
  }

  std::span<float> parameters() { return weights_; }
  std::span<float const> parameters() const { return weights_; }

  void backward(fltr::QueryView query, std::span<float const> credit, std::span<float> gradient) const {
    for (std::size_t i = 0; i < credit.size(); ++i) {
      if (credit[i] == 0) continue;  // most documents were not shown
      auto const d = query.row(i);
      for (std::size_t k = 0; k < features_; ++k) {
        gradient[k] += credit[i] * d[k];
        gradient[features_ + k] += credit[i] * d[k] * d[k];
      }
    }
  }

 private:
  std::size_t features_;
  std::vector<float> weights_;
};
static_assert(fltr::DifferentiableRanker<QuadraticRanker>);

int main(int argc, char**) {
  if (argc > 1) {
    fmt::print(stderr, "usage: custom_ranker, without arguments\n");
    return 2;
  }
  auto const data =
      fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5), fltr::Normalization::query);
  auto const federation = fltr::fpdgd(QuadraticRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  for (auto const& round : federation.rounds(clients) | ranges::views::take(30))
    if (round.number % 10 == 0)
      fmt::print("{:4} {:.4f}\n", round.number, fltr::evaluate(round.ranker, data.test, fltr::Ndcg{.cutoff = 10}));
}
