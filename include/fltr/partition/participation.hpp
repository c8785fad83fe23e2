#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// A population of which only some clients are asked in each round, drawn without replacement.
template <Population P>
struct Sampled {
  static_assert(!NamesHook_participants<P>, "fltr: Sampled draws from a population that already says who is asked");

  P population;
  std::size_t per_round = 100;

  [[nodiscard]] std::size_t size() const { return population.size(); }
  [[nodiscard]] auto operator[](std::size_t i) const { return population[i]; }

  /// Positions in rising order, every subset equally likely. A small share is drawn by Floyd's algorithm, with one
  /// random number per client that is asked; a larger one by selection sampling (Knuth, algorithm S), with one per
  /// client.
  [[nodiscard]] std::vector<std::uint32_t> participants(std::uint32_t, Stream& stream) const {
    require(per_round > 0 && per_round <= size(), "Sampled", "1 to all clients per round", per_round);
    if (per_round <= size() / 16) {
      std::set<std::uint32_t> drawn;
      for (std::size_t last = size() - per_round; last < size(); ++last)
        if (!drawn.insert(stream.below(static_cast<std::uint32_t>(last + 1))).second)
          drawn.insert(static_cast<std::uint32_t>(last));
      return {drawn.begin(), drawn.end()};
    }
    std::vector<std::uint32_t> chosen;
    chosen.reserve(per_round);
    for (std::size_t i = 0; chosen.size() < per_round; ++i)
      if (stream.uniform() * static_cast<double>(size() - i) < static_cast<double>(per_round - chosen.size()))
        chosen.push_back(static_cast<std::uint32_t>(i));
    return chosen;
  }

  /// Whether a client reports back is up to the population that it was drawn from.
  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    return fltr::reports(population, at, i, stream);
  }
};
template <class P>
Sampled(P, std::size_t) -> Sampled<P>;

/// A population whose clients, asked, fail to answer with some probability, each on its own.
template <Population P>
struct Dropout {
  static_assert(!NamesHook_participants<P>, "fltr: Dropout stands within Sampled: Sampled{Dropout{clients, p}, n}");
  static_assert(!NamesHook_reports<P>, "fltr: Dropout wraps a population that already says who reports");

  P population;
  double probability = 0.1;  ///< that the message does not arrive
  double before = 0.0;       ///< the same for each exchange before local work, where an aggregator seals …
  double after = 0.0;        ///< … and for each exchange after the messages

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
