#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/query_view.hpp>

/// Minimal models. The concepts use them as arguments:
/// `static_assert(fltr::Learner<Mine>)` checks a Learner against archetypes::DifferentiableRanker and
/// archetypes::Session.
namespace fltr::archetypes {

struct DifferentiableRanker {
  std::vector<float> weights;
  void score(QueryView, std::span<float>) const {}
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
  void backward(QueryView, std::span<float const>, std::span<float>) const {}
  auto fields(auto&& visit) { return visit(weights); }
};

/// The members of fltr::Session that a learner may use (see federation/session.hpp).
template <class State = NoState, class Workspace = NoWorkspace>
struct Session {
  Streams streams;
  State& state;
  Workspace& workspace;
  std::span<std::uint8_t const> show(QueryView, std::span<std::uint32_t const>) { return {}; }
  void constrain(std::span<float>) const {}
  template <class R>
  void step(R&, std::span<float>, float) {}
  void report(double) {}
  void interruption_point(std::size_t = 1) {}
};

}  // namespace fltr::archetypes
