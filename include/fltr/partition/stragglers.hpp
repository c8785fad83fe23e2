#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// A population whose clients differ in speed. A client that needs more time for its local work than the deadline of a
/// round is a straggler: its message comes too late and does not count, but the client keeps what it learned.
///
/// Client i with B interactions needs B · seconds_per_interaction · exp(spread · z_i + jitter · z_it) seconds in round
/// t, where z_i and z_it are standard normal: z_i is the client's speed, z_it its load in this round.
template <Population P>
struct Stragglers {
  static_assert(!composition::NamesHook_participants<P>,
                "fltr: Stragglers must be inside Sampled: Sampled{Stragglers{clients, 60}, n}");

  P population;
  double deadline = 60;                ///< seconds from the question to the latest message that counts
  double seconds_per_interaction = 1;  ///< of a client of median speed
  double spread = 0.5;                 ///< standard deviation of the logarithm of the time, between clients
  double jitter = 0.1;                 ///< the same between rounds of a client
  std::uint64_t seed = 1;              ///< of the clients' speeds

  [[nodiscard]] std::size_t size() const { return population.size(); }
  [[nodiscard]] auto operator[](std::size_t i) const { return population[i]; }
  [[nodiscard]] std::string discloses() const { return disclosed_by(population); }

  /// The seconds that client i needs in a round; `stream` gives its load.
  [[nodiscard]] double seconds(std::size_t i, Stream& stream) const {
    require(seconds_per_interaction > 0 && deadline >= 0, "Stragglers", "positive times", seconds_per_interaction);
    require(spread >= 0 && jitter >= 0, "Stragglers", "spread and jitter >= 0", spread < jitter ? spread : jitter);
    auto const client = population[i];
    Stream speed = Streams{.seed = seed, .client = client.id}.of(Purpose::reporting);  // rounds count from 1, this is 0
    double const load = spread * speed.normal() + jitter * stream.normal();
    return seconds_per_interaction * static_cast<double>(client.interactions) * math::exp(load);
  }

  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    if (!fltr::reports(population, at, i, stream)) return false;
    return at.phase != Phase::delivery || seconds(i, stream) <= deadline;
  }
};
template <class P>
Stragglers(P, double) -> Stragglers<P>;
template <class P>
Stragglers(P, double, double, double, double, std::uint64_t) -> Stragglers<P>;

}  // namespace fltr
