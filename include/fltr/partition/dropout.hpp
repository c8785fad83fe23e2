#pragma once

#include <cstddef>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// A population whose clients fail to answer with a given probability, independently of each other.
template <Population P>
struct Dropout {
  static_assert(!composition::NamesHook_participants<P>,
                "fltr: Dropout must be inside Sampled: Sampled{Dropout{clients, p}, n}");
  static_assert(!composition::NamesHook_reports<P>,
                "fltr: the population within Dropout must not have the hook 'reports': Dropout decides which clients "
                "report");

  P population;
  double probability = 0.1;  ///< that a client's message does not arrive
  double before = 0.0;       ///< that a client fails in an exchange before local work (sealing aggregators only)
  double after = 0.0;        ///< that a client fails in an exchange after the messages (sealing aggregators only)

  [[nodiscard]] std::size_t size() const { return population.size(); }
  [[nodiscard]] auto operator[](std::size_t i) const { return population[i]; }

  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t, Stream& stream) const {
    double const fails = at.phase == Phase::message ? probability : at.phase == Phase::exchange_before ? before : after;
    require(fails >= 0.0 && fails <= 1.0, "Dropout", "a probability in [0, 1]", fails);
    return stream.uniform() >= fails;
  }
};
template <class P>
Dropout(P, double) -> Dropout<P>;
template <class P>
Dropout(P, double, double, double) -> Dropout<P>;

}  // namespace fltr
