#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/data/query_view.hpp>

/// The least that each role may rely on, for checking the other side alone: `static_assert(fltr::Learner<Mine>)`.
namespace fltr::archetypes {

struct DifferentiableRanker {
  std::vector<float> weights;
  void score(QueryView, std::span<float>) const {}
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
  void backward(QueryView, std::span<float const>, std::span<float>) const {}
  auto fields(auto&& visit) { return visit(weights); }
};

/// What a learner sees of the Session in which it works (see federation/session.hpp).
template <class State = NoState>
struct Session {
  Streams streams;
  State& state;
  Workspace& workspace;
  std::span<std::uint8_t const> show(QueryView, std::span<std::uint32_t const>) { return {}; }
  void constrain(std::span<float>) const {}
  template <class R>
  void step(R&, std::span<float>, float) {}
  void report(double) {}
};

}  // namespace fltr::archetypes
