#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include <fltr/concepts/unlearner.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr::testing {

/// Runs all rounds again without the forgotten clients.
struct Retrain {
  [[nodiscard]] bool keeps(std::uint32_t) const { return false; }
  void unlearn(auto& replay) const {
    for (std::uint32_t round = 1; round <= replay.rounds(); ++round) replay.step(round, 0, [](auto const&...) {});
  }
};
static_assert(Unlearner<Retrain>);

/// FedEraser (Liu et al. 2021; thesis eq. 6.2): every interval-th round runs again with few local steps, and each
/// client's new update is scaled to the length of its old one. A client without a record of the round
/// withdraws its message.
struct FedEraser {
  struct State {
    std::map<std::uint32_t, float> norms{};  ///< of the client's updates, by round
    auto fields(auto&& visit) { return visit(norms); }
  };

  std::uint32_t interval = 2;
  std::uint32_t local_steps = 1;

  [[nodiscard]] bool keeps(std::uint32_t round) const { return round % interval == 1 || interval == 1; }
  void record(State& kept, std::uint32_t round, auto const& global, LocalWeights const& message) const {
    kept.norms[round] = static_cast<float>(norm(global, message));
  }
  void unlearn(auto& replay) const {
    for (std::uint32_t round = 1; round <= replay.rounds(); round += interval)
      replay.step(round, local_steps,
                  [](State const& kept, std::uint32_t number, auto const& global, LocalWeights& message) {
                    auto const old = kept.norms.find(number);
                    if (old == kept.norms.end()) return false;
                    double const now = norm(global, message);
                    auto const weights = shared_parameters(global);
                    for (std::size_t k = 0; k < weights.size() && now > 0.0; ++k)
                      message.values[k] = static_cast<float>(static_cast<double>(weights[k]) +
                                                             static_cast<double>(old->second) / now *
                                                                 static_cast<double>(message.values[k] - weights[k]));
                    return true;
                  });
  }

  static double norm(auto const& global, LocalWeights const& message) {
    auto const weights = shared_parameters(global);
    double squares = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k)
      squares += std::pow(static_cast<double>(message.values[k] - weights[k]), 2);
    return std::sqrt(squares);
  }
};
static_assert(Unlearner<FedEraser>);

}  // namespace fltr::testing
