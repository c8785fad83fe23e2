#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/displayed_list.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/federation/detail/work_interruption.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/metrics/ndcg.hpp>

namespace fltr {

/// The buffers of the sessions of one block of clients: the learner's workspace and those of `Session::show`. `Work` asks
/// whether to stop in the middle of the block.
template <class Workspace = NoWorkspace, class Work = detail::UninterruptedWork>
struct SessionBuffers {
  Workspace workspace;
  std::vector<std::uint8_t> grades{};  ///< of the displayed documents
  std::vector<std::uint8_t> clicks{};  ///< on the displayed documents
  Work work{};
};

/// The argument of a Learner's `train` or `learn`: everything that local work may use besides the broadcast ranker and
/// the client's data.
template <ClickModel Clicks, class Privacy, class LearnerState, class Workspace = NoWorkspace,
          class Work = detail::UninterruptedWork>
class Session {
 public:
  Session(Clicks const& clicks, Privacy const& privacy, Streams client_streams, LearnerState& learner_state,
          SessionBuffers<Workspace, Work>& buffers, RoundStatistics& statistics)
      : streams(client_streams),
        state(learner_state),
        workspace(buffers.workspace),
        buffers_(buffers),
        clicks_(clicks),
        privacy_(privacy),
        statistics_(statistics),
        click_stream_(client_streams.of(Purpose::clicks)) {}
  Session(Clicks const&&, Privacy const&, Streams, LearnerState&, SessionBuffers<Workspace, Work>&,
          RoundStatistics&) = delete;
  Session(Clicks const&, Privacy const&&, Streams, LearnerState&, SessionBuffers<Workspace, Work>&,
          RoundStatistics&) = delete;

  /// Displays the documents in this order to the client's user. Returns the clicks (0 or 1 each), valid until the next
  /// call. Online nDCG is measured here, because users see lists only here.
  std::span<std::uint8_t const> show(QueryView query, std::span<std::uint32_t const> order) {
    interruption_point();
    auto& grades = buffers_.grades;
    auto& clicks = buffers_.clicks;
    grades.resize(order.size());
    clicks.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) grades[i] = query.grades()[order[i]];
    clicks_.click(DisplayedList(query, order, grades), clicks, click_stream_);
    statistics_.ndcg_sum += *Ndcg{.cutoff = 10, .empty = NoRelevantDocuments::zero}.measure({grades, query.ideal()});
    ++statistics_.lists;
    return clicks;
  }

  /// Applies the privatizer's hook `constrain`, if it has one. `step` calls it.
  void constrain(std::span<float> weights) const { fltr::constrain(privacy_, weights); }

  /// One local step: local ← local + rate · gradient, then the privatizer's constraint on the parameters that travel.
  template <class R>
  void step(R& local, std::span<float> gradient, float rate) {
    interruption_point();
    simd::axpy(rate, gradient, local.parameters());
    constrain(shared_parameters(local));
  }

  /// Adds a value of the learner's objective to the statistics of the round.
  void report(double objective) {
    statistics_.objective_sum += objective;
    ++statistics_.objectives;
  }

  /// For long work without `show` and `step`: throws Interrupted if the caller asked to stop, and asks once in 1,024
  /// steps. `steps`: about how many interactions the work since the last call was worth.
  void interruption_point(std::size_t steps = 1) { buffers_.work.after(steps); }

  Streams streams;
  LearnerState& state;
  Workspace& workspace;

 private:
  SessionBuffers<Workspace, Work>& buffers_;
  Clicks const& clicks_;
  Privacy const& privacy_;
  RoundStatistics& statistics_;
  Stream click_stream_;
};

}  // namespace fltr
