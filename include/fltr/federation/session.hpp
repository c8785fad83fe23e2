#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/metrics/ndcg.hpp>

namespace fltr {

/// All that local work may touch besides the broadcast ranker and the client's own data.
template <ClickModel Clicks, class Privacy, class LearnerState>
class Session {
 public:
  Session(Clicks const& clicks, Privacy const& privacy, Streams client_streams, LearnerState& learner_state,
          Workspace& buffers, Tally& tally)
      : streams(client_streams),
        state(learner_state),
        workspace(buffers),
        clicks_(clicks),
        privacy_(privacy),
        tally_(tally),
        click_stream_(client_streams.of(Purpose::clicks)) {}
  Session(Clicks const&&, Privacy const&, Streams, LearnerState&, Workspace&, Tally&) = delete;
  Session(Clicks const&, Privacy const&&, Streams, LearnerState&, Workspace&, Tally&) = delete;

  /// Shows the documents in this order to the user and returns the clicks (0 or 1 each), valid until the next call. The
  /// only place where a user sees a list, hence where online quality is measured.
  std::span<std::uint8_t const> show(QueryView query, std::span<std::uint32_t const> order) {
    auto& grades = workspace.grades;
    auto& clicks = workspace.clicks;
    grades.resize(order.size());
    clicks.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) grades[i] = query.labels()[order[i]];
    clicks_.click(grades, clicks, click_stream_);
    tally_.ndcg_sum += *Ndcg{.cutoff = 10, .empty = EmptyQuery::zero}.measure({grades, query.ideal()});
    ++tally_.lists;
    return clicks;
  }

  /// The privatizer's constraint on the weights that travel, if it has one. `step` calls it.
  void constrain(std::span<float> weights) const { fltr::constrain(privacy_, weights); }

  /// One local step: local ← local + rate · gradient, then the privatizer's constraint on the parameters that travel.
  template <class R>
  void step(R& local, std::span<float> gradient, float rate) const {
    simd::axpy(rate, gradient, local.parameters());
    constrain(shared_parameters(local));
  }

  /// A value of what the learner optimises, for the mean over the round.
  void report(double objective) {
    tally_.objective_sum += objective;
    ++tally_.objectives;
  }

  Streams streams;
  LearnerState& state;
  Workspace& workspace;

 private:
  Clicks const& clicks_;
  Privacy const& privacy_;
  Tally& tally_;
  Stream click_stream_;
};

}  // namespace fltr
