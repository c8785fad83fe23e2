#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// The session that a learner wrapper passes to the learner that it wraps: the outer session with the state of the
/// inner learner. A wrapper that changes the steps derives a class with its own `step`:
///
///     template <class S>
///     struct HalfSteps : fltr::InnerSession<S> {
///       using fltr::InnerSession<S>::InnerSession;
///       void step(auto& local, std::span<float> gradient, float rate) {
///         fltr::InnerSession<S>::step(local, gradient, rate / 2);
///       }
///     };
template <class S, class InnerState = std::remove_reference_t<decltype(std::declval<S&>().state)>,
          class InnerWorkspace = std::remove_reference_t<decltype(std::declval<S&>().workspace)>>
class InnerSession {
 public:
  InnerSession(S& outer, InnerState& inner_state, InnerWorkspace& inner_workspace)
      : streams(outer.streams), state(inner_state), workspace(inner_workspace), outer_(&outer) {}
  InnerSession(S& outer, InnerState& inner_state) : InnerSession(outer, inner_state, outer.workspace) {}
  explicit InnerSession(S& outer)
  requires std::same_as<InnerState, std::remove_reference_t<decltype(outer.state)>>
      : InnerSession(outer, outer.state) {}

  std::span<std::uint8_t const> show(QueryView query, std::span<std::uint32_t const> order) {
    return outer_->show(query, order);
  }
  template <class R>
  void step(R& local, std::span<float> gradient, float rate) {
    outer_->step(local, gradient, rate);
  }
  void constrain(std::span<float> weights) const { outer_->constrain(weights); }
  void report(double objective) { outer_->report(objective); }
  void interruption_point(std::size_t steps = 1) { outer_->interruption_point(steps); }

  Streams streams;
  InnerState& state;
  InnerWorkspace& workspace;

 private:
  S* outer_;
};

}  // namespace fltr
