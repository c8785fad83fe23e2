// A custom message with its learner and aggregator: clients send only the sign of each weight's update, one byte per
// weight, and the server takes a majority vote (signSGD, Bernstein et al. 2018).
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct Signs {
  static std::int8_t of(auto value) { return static_cast<std::int8_t>((value > 0) - (value < 0)); }
  std::vector<std::int8_t> signs;
  bool fits(fltr::ParametricRanker auto const& ranker, std::uint32_t) const {  // the server rejects other messages
    return signs.size() == ranker.parameters().size() && std::ranges::all_of(signs, [](int s) { return s * s <= 1; });
  }
  auto fields(auto&& visit) { return visit(signs); }  // the members that are written as bytes
};
static_assert(fltr::MessageFor<Signs, fltr::LinearRanker>);

struct SignPdgd {
  using Message = Signs;
  using Workspace = fltr::Pdgd::Workspace;
  Signs learn(auto const& global, auto const& client, auto& session) const {
    auto const local = fltr::learn(fltr::Pdgd{}, global, client, session).values;
    Signs message;
    for (std::size_t k = 0; k < local.size(); ++k)
      message.signs.push_back(Signs::of(local[k] - global.parameters()[k]));
    return message;
  }
};
static_assert(fltr::Learner<SignPdgd>);

struct MajorityVote {
  float step = 0.02F;
  void aggregate(std::span<fltr::ClientMessage<Signs> const> messages, fltr::ParametricRanker auto& ranker) const {
    for (std::size_t k = 0; k < ranker.parameters().size(); ++k) {
      int votes = 0;
      for (auto const& sent : messages) votes += sent.message.signs[k];
      ranker.parameters()[k] += step * static_cast<float>(Signs::of(votes));
    }
  }
};
static_assert(fltr::Aggregator<MajorityVote, Signs>);

int main() {
  auto const data = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  fltr::LinearRanker const start{data.train.feature_count()};
  auto const federation = fltr::make_federation(start, fltr::CascadeModel::perfect(3), SignPdgd{}, MajorityVote{});
  auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
  std::cout << "nDCG@10 before: " << fltr::evaluate(start, data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  training.run(100);
  std::cout << "after 100 rounds: " << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
}
