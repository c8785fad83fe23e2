// A ranker of one's own: score(d) = Σ_k w_k d_k + v_k d_k², so that a feature may be best in the middle of its range.
// Three functions make it a fltr::DifferentiableRanker, which is all that PDGD and FedAvg ask for. The functions are
// written with tensors: as_tensor(query) is the matrix of the query's documents, one row per document, without a copy.
#include <cstddef>
#include <span>

#include <fltr/fltr.hpp>
#include <fltr/tensor.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

class QuadraticRanker {
 public:
  explicit QuadraticRanker(std::size_t features) : weights_(xt::zeros<float>({std::size_t{2}, features})) {}

  void score(fltr::QueryView query, std::span<float> scores) const {
    auto const d = fltr::as_tensor(query);
    fltr::as_tensor(scores) = xt::sum(d * xt::row(weights_, 0) + d * d * xt::row(weights_, 1), {1});
  }

  std::span<float> parameters() { return {weights_.data(), weights_.size()}; }
  std::span<float const> parameters() const { return {weights_.data(), weights_.size()}; }

  // Adds Σ_i credit_i · ∂score_i / ∂weights to the gradient. Most credits are 0: most documents were not displayed.
  void backward(fltr::QueryView query, std::span<float const> credit, std::span<float> gradient) const {
    auto const documents = fltr::as_tensor(query);
    auto sum = fltr::as_tensor(gradient, 2, query.feature_count());
    for (std::size_t i = 0; i < credit.size(); ++i) {
      if (credit[i] == 0) continue;
      auto const d = xt::row(documents, static_cast<std::ptrdiff_t>(i));
      xt::row(sum, 0) += credit[i] * d;
      xt::row(sum, 1) += credit[i] * d * d;
    }
  }

 private:
  fltr::Matrix<float> weights_;  // w in row 0, v in row 1
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
