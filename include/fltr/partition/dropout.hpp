#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// A population whose clients fail to answer with a given probability, independently of each other and of the round.
template <Population P>
struct Dropout {
  static_assert(!composition::NamesHook_participants<P>,
                "fltr: Dropout must be inside Sampled: Sampled{Dropout{clients, p}, n}");
  static_assert(!composition::NamesHook_reports<P>,
                "fltr: the population within Dropout must not have the hook 'reports': Dropout decides which clients "
                "report");

  P population;
  double probability = 0.1;  ///< that a client fails before or during local work
  double before = 0.0;       ///< that a client fails in an exchange before local work (sealing aggregators only)
  double after = 0.0;        ///< that a client fails in an exchange after the messages (sealing aggregators only)
  double lost = 0.0;         ///< that a client's message is lost after local work, of which the client keeps its part
  std::vector<double> by_client{};  ///< `probability` of each client, in the order of the population; empty: the same

  [[nodiscard]] std::size_t size() const { return population.size(); }
  [[nodiscard]] auto operator[](std::size_t i) const { return population[i]; }
  [[nodiscard]] std::string discloses() const { return disclosed_by(population); }

  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    if (!by_client.empty() && by_client.size() != size())
      throw_requirement("Dropout", "a probability for each of " + std::to_string(size()) + " clients",
                        by_client.size());
    double const fails = probability_of(at.phase, i);
    require(fails >= 0.0 && fails <= 1.0, "Dropout", "a probability in [0, 1]", fails);
    if (fails == 0.0) return true;  // a certain answer needs no random number
    double const first = stream.uniform();
    // The first number of the stream has decided the phase `message`.
    return (at.phase == Phase::delivery ? stream.uniform() : first) >= fails;
  }

  /// The probability that client i fails in a phase.
  [[nodiscard]] double probability_of(Phase phase, std::size_t i) const {
    switch (phase) {
      case Phase::exchange_before:
        return before;
      case Phase::message:
        break;
      case Phase::delivery:
        return lost;
      case Phase::exchange_after:
        return after;
    }
    return by_client.empty() ? probability : by_client[i];
  }
};
template <class P>
Dropout(P, double) -> Dropout<P>;
template <class P>
Dropout(P, double, double, double) -> Dropout<P>;
template <class P>
Dropout(P, double, double, double, double) -> Dropout<P>;
template <class P>
Dropout(P, double, double, double, double, std::vector<double>) -> Dropout<P>;

}  // namespace fltr
