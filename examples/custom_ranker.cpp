// A custom ranker: score(d) = Σ_k w_k d_k + v_k d_k², so that the best value of a feature may lie inside its range.
// Three functions make it a fltr::DifferentiableRanker, which PDGD and FedAvg require. They are written with tensors:
// as_tensor(query) is a matrix with one row per document, without a copy.
#include <cstddef>
#include <iostream>
#include <span>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/tensor.hpp>

class QuadraticRanker {
 public:
  explicit QuadraticRanker(std::size_t features) : weights_(xt::zeros<float>({std::size_t{2}, features})) {}

  void score(fltr::QueryView query, std::span<float> scores) const {
    auto const d = fltr::as_tensor(query);
    fltr::as_tensor(scores) = xt::sum(d * xt::row(weights_, 0) + d * d * xt::row(weights_, 1), {1});
  }

  std::span<float> parameters() { return {weights_.data(), weights_.size()}; }
  std::span<float const> parameters() const { return {weights_.data(), weights_.size()}; }

  // Adds Σ_i score_gradient_i · ∂score_i / ∂weights to the gradient. Documents that were not displayed have a
  // score_gradient of 0.
  void backward(fltr::QueryView query, std::span<float const> score_gradient, std::span<float> gradient) const {
    auto const documents = fltr::as_tensor(query);
    auto sum = fltr::as_tensor(gradient, 2, query.feature_count());
    for (std::size_t i = 0; i < score_gradient.size(); ++i) {
      if (score_gradient[i] == 0) continue;
      auto const d = xt::row(documents, static_cast<std::ptrdiff_t>(i));
      xt::row(sum, 0) += score_gradient[i] * d;
      xt::row(sum, 1) += score_gradient[i] * d * d;
    }
  }

 private:
  fltr::Matrix<float> weights_;  // w in row 0, v in row 1
};
static_assert(fltr::DifferentiableRanker<QuadraticRanker>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const federation = fltr::fpdgd(QuadraticRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
  training.run(30, [&](auto const& round) {
    if (round.number % 10 == 0)
      std::cout << round.number << ' ' << fltr::evaluate(round.ranker, data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  });
}
