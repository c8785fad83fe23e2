// A custom learner: clients show their ten best documents and prefer each clicked document to the unclicked documents
// above it ("skip above", Joachims 2002). Unlike PDGD it never explores.
#include <cstdint>
#include <iostream>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/core/sigmoid.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct SkipAbove {
  using Message = fltr::LocalWeights;
  float learning_rate = 0.1F;
  std::uint32_t train(fltr::DifferentiableRanker auto& local, fltr::HasQueries auto const& client,
                      auto& session) const {
    auto stream = session.streams.of(fltr::Purpose::queries);
    for (std::uint32_t i = 0; i < client.interactions; ++i) {
      auto const query = fltr::draw_query(client.queries, {session.streams.round, i, client.interactions}, stream);
      std::vector<float> scores(query.document_count()), score_gradient(scores.size());
      std::vector<float> gradient(local.parameters().size());
      std::vector<std::uint32_t> order;
      local.score(query, scores);
      fltr::TopK{}(scores, 10, order);
      auto const clicks = session.show(query, order);
      for (std::size_t c = 0; c < order.size(); ++c)
        for (std::size_t u = 0; u < c; ++u) {
          if (clicks[c] == 0 || clicks[u] != 0) continue;
          float const weight = fltr::simd::sigmoid(scores[order[u]] - scores[order[c]]);  // −∂ log loss
          score_gradient[order[c]] += weight;
          score_gradient[order[u]] -= weight;
        }
      local.backward(query, score_gradient, gradient);
      session.step(local, gradient, learning_rate);
    }
    return client.interactions;  // the weight of the message in the average
  }
};
static_assert(fltr::Learner<SkipAbove>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const show = [&](char const* name, auto const& federation) {
    auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
    training.run(30);
    std::cout << name << ' ' << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  auto const pdgd = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  show("PDGD", pdgd);
  show("skip above", pdgd.with_learner(SkipAbove{}));
}
