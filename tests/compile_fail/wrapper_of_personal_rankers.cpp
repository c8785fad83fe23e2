// build error: fltr: an aggregator wrapper does not pass on 'personalize'
#include <span>

#include <fltr/aggregators/norm_bound.hpp>

using Messages = std::span<fltr::ClientMessage<fltr::LocalWeights> const>;
using Vector = fltr::archetypes::DifferentiableRanker;

struct OwnRankers {
  void aggregate(Messages, auto&) const {}
  Vector personalize(Messages, auto const&) const { return {}; }
};

void run(fltr::NormBound<OwnRankers> const& server, Messages messages, Vector& ranker) {
  fltr::State<fltr::NormBound<OwnRankers>> state;
  server.aggregate(messages, ranker, state);
}
