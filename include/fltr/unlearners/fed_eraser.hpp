#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/eight_doubles.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/lane_sum.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/unlearners/client_history.hpp>

namespace fltr {

/// FedEraser (Liu et al. 2021), as Wang 2024 (thesis, section 6.1.2) adapts it to online learning to rank.
///
/// Every `interval` rounds (1, 1 + Δt, 1 + 2 Δt, …) each client keeps a record of its update ΔM, the difference between
/// its local and the global parameters. To forget clients, only these rounds run again, from the start model. The other
/// clients make n′ local steps instead of n, and the new update ΔM′ of each client becomes
///
///     store = norm      ‖ΔM‖ · ΔM′ / ‖ΔM′‖     (eq. 6.2: the old length, the new direction)
///     store = update    ‖ΔM′‖ · ΔM / ‖ΔM‖      (section 7.4.2: the old direction, the new length)
///
/// It costs n · Δt / n′ times fewer local steps than Retrain. It is not exact: the records of the others were made while
/// the forgotten clients took part, and only through them the result depends on the forgotten clients' data.
///
/// An update of length 0 has no direction: the client sends the broadcast model, and
/// RoundStatistics::zero_updates counts it. A client without a record of a round (it was asked and did not answer then)
/// sends its new update without a correction, and RoundStatistics::unrecorded counts it. A replay asks the clients of
/// the original round, so a client that joined late takes no part in earlier rounds. A client that was asked only in
/// rounds that are not replayed has an empty learner state afterwards: FedPer's output layer of it is gone too.
///
/// Forgetting changes no record of the others. Forgetting clients one after the other, with no round in between,
/// therefore gives the same bits as forgetting them at once, and costs one replay more for each call.
///
/// What a stolen history reveals: records are taken before a message is privatized, so no ε covers them.
///   - norm: how far the client's clicks moved the model in each kept round. 0 says that no list of the round had a
///     clicked document and an unclicked one that the user saw. Other lengths have no direction, but they are
///     fingerprints: whoever has candidates for queries and clicks and knows the broadcast model computes the length of
///     each candidate and compares 24 bits. With one query per round, a test finds the query in this way.
///   - update: the local gradient steps themselves. Together with the broadcast model of the round, they permit what a
///     server can do with messages without noise: with few queries per round, guess which documents were clicked,
///     without candidates.
/// The server never sees a history. A forgotten client's history is deleted.
struct FedEraser {
  enum class Store : std::uint8_t {
    norm,    ///< ‖ΔM‖: 4 bytes per client and kept round
    update,  ///< ΔM: 4 bytes per client, kept round and shared parameter
  };
  using State = ClientHistory;

  std::uint32_t interval = 10;    ///< Δt
  std::uint32_t local_steps = 3;  ///< n′: interactions per client and replayed round, at most the client's own number
  Store store = Store::norm;

  /// The number of kept rounds among the first `rounds`: ⌈rounds / interval⌉.
  [[nodiscard]] std::uint32_t kept_rounds(std::uint32_t rounds) const {
    check();
    return rounds / interval + (rounds % interval != 0 ? 1U : 0U);
  }

  [[nodiscard]] bool keeps(std::uint32_t round) const {
    check();
    return (round - 1) % interval == 0;
  }

  template <ParametricRanker R>
  void record(State& kept, std::uint32_t round, R const& global, LocalWeights const& message) const {
    auto const weights = shared_parameters(global);
    if (message.values.size() != weights.size()) return;  // the server will reject the message
    auto const length = static_cast<float>(distance(message.values, weights));
    if (!std::isfinite(length)) return;
    if (store == Store::norm) return kept.add(round, interval, {&length, 1});
    std::vector<float> update(message.values);
    for (std::size_t k = 0; k < update.size(); ++k) update[k] -= weights[k];
    kept.add(round, interval, update);
  }

  template <class Replay>
  void unlearn(Replay& replay) const {
    check();
    std::uint32_t const last = kept_rounds(replay.rounds());
    for (std::uint32_t i = 0; i < last; ++i)
      replay.step(1 + i * interval, local_steps,
                  [this](State const& kept, std::uint32_t round, auto const& global, LocalWeights& message) {
                    return this->correct(kept, round, global, message);
                  });
  }

  /// Throws std::invalid_argument unless the history was recorded with this interval and store, or is empty.
  template <ParametricRanker R>
  void require_fitting(State const& kept, R const& global) const {
    if (kept.empty()) return;
    if (kept.interval() != interval) [[unlikely]]
      throw_requirement("FedEraser", "a history with an interval of " + std::to_string(interval), kept.interval());
    std::size_t const width = store == Store::norm ? 1 : shared_parameters(global).size();
    if (kept.width() != width) [[unlikely]]
      throw_requirement("FedEraser", "a history with records of " + std::to_string(width) + " numbers", kept.width());
  }

 private:
  void check() const {
    require(interval > 0, "FedEraser", "an interval >= 1", interval);
    require(local_steps > 0, "FedEraser", "local_steps >= 1", local_steps);
  }

  template <ParametricRanker R>
  [[nodiscard]] Correction correct(State const& kept, std::uint32_t round, R const& global,
                                   LocalWeights& message) const {
    require_fitting(kept, global);
    auto const record = kept.find(round);
    if (!record) return Correction::unrecorded;
    auto const weights = shared_parameters(global);
    if (message.values.size() != weights.size()) return Correction::corrected;  // the server will reject the message
    std::span<float> const values = message.values;
    double const made = distance(values, weights);
    double const old = store == Store::norm ? static_cast<double>(record->front()) : norm(*record);
    if (made == 0.0 || old == 0.0) {
      std::ranges::copy(weights, values.begin());
      return Correction::zero;
    }
    if (store == Store::norm)
      for (std::size_t k = 0; k < values.size(); ++k) {
        auto const weight = static_cast<double>(weights[k]);
        values[k] = static_cast<float>(weight + old / made * (static_cast<double>(values[k]) - weight));
      }
    else
      for (std::size_t k = 0; k < values.size(); ++k)
        values[k] =
            static_cast<float>(static_cast<double>(weights[k]) + made / old * static_cast<double>((*record)[k]));
    return Correction::corrected;
  }

  /// ‖a − b‖₂
  [[nodiscard]] static double distance(std::span<float const> a, std::span<float const> b) {
    return root_of_squares(a.size(),
                           [&](std::size_t i) { return static_cast<double>(a[i]) - static_cast<double>(b[i]); });
  }
  [[nodiscard]] static double norm(std::span<float const> a) {
    return root_of_squares(a.size(), [&](std::size_t i) { return static_cast<double>(a[i]); });
  }
  /// √(Σ value(i)²), summed in 8 lanes.
  template <class Value>
  [[nodiscard]] static double root_of_squares(std::size_t size, Value const& value) {
    auto sum = simd::EightDoubles::filled(0.0);
    std::array<double, simd::lanes> squares{};
    auto const square = [&](std::size_t i, std::size_t lane) {
      double const v = value(i + lane);
      squares[lane] = v * v;
    };
    std::size_t i = 0;
    for (; i + simd::lanes <= size; i += simd::lanes) {
      for (std::size_t lane = 0; lane < simd::lanes; ++lane) square(i, lane);
      sum += simd::EightDoubles::load(squares.data());
    }
    squares.fill(0.0);
    for (std::size_t lane = 0; i + lane < size; ++lane) square(i, lane);
    sum += simd::EightDoubles::load(squares.data());
    return std::sqrt(sum.sum());
  }
};
static_assert(Unlearner<FedEraser>);

}  // namespace fltr
