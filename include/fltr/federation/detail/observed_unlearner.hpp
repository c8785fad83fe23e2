#pragma once

#include <cstdint>

#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/unlearners/retrain.hpp>

namespace fltr::detail {

/// Decides what an ObservedUnlearner does, and is called after each round that it replays. It is changed between two
/// calls of `forget`; the policies of a training do not change.
template <class R>
struct ReplayControl {
  bool retrain = false;  ///< Retrain instead of the unlearner within
  void* context = nullptr;
  void (*observe)(void* context, std::uint32_t round, R const& ranker, RoundStatistics const& statistics) = nullptr;
};

/// The replay that an ObservedUnlearner shows to the unlearner within.
template <class Replay, class R>
class ObservedReplay {
 public:
  ObservedReplay(Replay& replay, ReplayControl<R> const& control)
      : ranker(replay.ranker), server_state(replay.server_state), replay_(replay), control_(control) {}

  [[nodiscard]] auto rounds() const { return replay_.rounds(); }
  [[nodiscard]] auto const& forgotten() const { return replay_.forgotten(); }
  template <class Correct>
  RoundStatistics step(std::uint32_t round, std::uint32_t interactions, Correct const& correct) {
    RoundStatistics const statistics = replay_.step(round, interactions, correct);
    if (control_.observe != nullptr) control_.observe(control_.context, round, ranker, statistics);
    return statistics;
  }

  decltype(Replay::ranker)& ranker;
  decltype(Replay::server_state)& server_state;

 private:
  Replay& replay_;
  ReplayControl<R> const& control_;
};

/// An unlearner whose replays are observed, and which can retrain instead. One type for all trainings of a check, so
/// that a program compiles one Training.
template <Unlearner U, class R>
struct ObservedUnlearner {
  using State = fltr::State<U>;

  U inner;
  ReplayControl<R> const* control;

  auto members(auto&& visit) const { return visit(inner); }
  [[nodiscard]] bool keeps(std::uint32_t round) const { return inner.keeps(round); }
  template <class Message>
  void record(State& kept, std::uint32_t round, R const& global, Message const& message) const {
    if constexpr (composition::NamesHook_record<U>) inner.record(kept, round, global, message);
  }
  template <class Replay>
  void unlearn(Replay& replay) const {
    ObservedReplay<Replay, R> observed(replay, *control);
    if (control->retrain)
      Retrain{}.unlearn(observed);
    else
      inner.unlearn(observed);
  }
};

}  // namespace fltr::detail
