#pragma once

#include <cstddef>
#include <string>

#include <fltr/concepts/population.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/absences.hpp>

namespace fltr {

/// A population whose clients are absent in the rounds of a trace (see Absences and read_absences). A client that is
/// present still fails where the population within says so.
template <Population P>
struct WithAbsences {
  static_assert(!composition::NamesHook_participants<P>,
                "fltr: WithAbsences must be inside Sampled: Sampled{WithAbsences{clients, absences}, n}");

  P population;
  Absences absences{};

  [[nodiscard]] std::size_t size() const { return population.size(); }
  [[nodiscard]] auto operator[](std::size_t i) const { return population[i]; }
  [[nodiscard]] std::string discloses() const { return disclosed_by(population); }

  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    if (!fltr::reports(population, at, i, stream)) return false;
    bool const delivery = at.phase == Phase::delivery || at.phase == Phase::exchange_after;
    return !absences.contain(population[i].id, at.round, delivery ? DropsOut::after : DropsOut::before);
  }
};
template <class P>
WithAbsences(P, Absences) -> WithAbsences<P>;

}  // namespace fltr
