#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/beta.hpp>

/// Audits of privacy mechanisms. A mechanism is run on two secrets, and the frequencies of events in its output are
/// compared. The ratio of two probabilities, with confidence limits, is a lower bound on e^ε.
namespace fltr::testing {

/// The observable output of a mechanism as numbers: the values and the form of the message.
using Seen = std::vector<double>;

struct Event {
  std::string name;
  std::function<bool(Seen const&)> holds;
};

struct AuditOptions {
  std::uint64_t draws = 1'000'000;    ///< per secret; on these the events are counted
  std::uint64_t selection = 200'000;  ///< more draws per secret; on these the events are chosen
  std::size_t kept = 6;               ///< number of events that are chosen
  double delta = 0.0;                 ///< of the guarantee
  double significance = 0.001;        ///< of all chosen events together
};

struct AuditResult {
  double epsilon = 0.0;  ///< proven lower bound; 0 if no bound is proven
  std::string event;     ///< the event that proves the bound
};

/// The lower bound on ε if an event holds in `more` of n draws under one secret and in `less` of n draws under the
/// other. Uses Clopper-Pearson limits: a lower limit on the first probability and an upper limit on the second, each at
/// half the significance.
[[nodiscard]] inline double proven_epsilon(std::uint64_t more, std::uint64_t less, std::uint64_t n, double significance,
                                           double delta) {
  if (more == 0) return 0.0;
  auto const a = static_cast<double>(more);
  auto const b = static_cast<double>(less);
  auto const all = static_cast<double>(n);
  double const low = boost::math::quantile(boost::math::beta_distribution<>(a, all - a + 1.0), significance / 2.0);
  double const high = less == n ? 1.0
                                : boost::math::quantile(boost::math::complement(
                                      boost::math::beta_distribution<>(b + 1.0, all - b), significance / 2.0));
  return low > delta ? std::max(0.0, std::log((low - delta) / high)) : 0.0;
}

/// Adds the events `number(observation) > t` and `< t`, with t at quantiles of the draws from 0 to 1.
inline void add_thresholds(std::vector<Event>& events, std::string const& name, std::vector<Seen> const& draws,
                           std::function<double(Seen const&)> const& number) {
  std::vector<double> values;
  values.reserve(draws.size());
  for (auto const& seen : draws) values.push_back(number(seen));
  std::ranges::sort(values);
  for (double const q :
       {0.0, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0}) {
    double const at = values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
    events.push_back({name + " > " + std::to_string(at), [=](Seen const& s) { return number(s) > at; }});
    events.push_back({name + " < " + std::to_string(at), [=](Seen const& s) { return number(s) < at; }});
  }
}

/// Chooses the events with the largest bounds on `selection` draws, and counts them on `draws` other draws.
/// `draw(secret, trial)` returns an observation. `make_events(selection draws of both secrets)` returns the events.
template <class Draw, class MakeEvents>
[[nodiscard]] AuditResult audit(Draw const& draw, MakeEvents const& make_events, AuditOptions const& options = {}) {
  std::array<std::vector<Seen>, 2> chosen_on;
  for (std::size_t secret = 0; secret < 2; ++secret)
    for (std::uint64_t trial = 0; trial < options.selection; ++trial) chosen_on[secret].push_back(draw(secret, trial));
  std::vector<Seen> both = chosen_on[0];
  both.insert(both.end(), chosen_on[1].begin(), chosen_on[1].end());
  std::vector<Event> const events = make_events(both);

  struct Candidate {
    std::size_t event;
    bool reversed;  // more likely under the second secret
    double bound;
  };
  std::vector<Candidate> candidates;
  for (std::size_t e = 0; e < events.size(); ++e) {
    std::array<std::uint64_t, 2> counts{};
    for (std::size_t secret = 0; secret < 2; ++secret)
      for (auto const& seen : chosen_on[secret]) counts[secret] += events[e].holds(seen) ? 1U : 0U;
    for (bool const reversed : {false, true})
      candidates.push_back({e, reversed,
                            proven_epsilon(counts[reversed ? 1 : 0], counts[reversed ? 0 : 1], options.selection,
                                           options.significance, options.delta)});
  }
  std::ranges::stable_sort(candidates, std::greater<>{}, &Candidate::bound);
  candidates.resize(std::min(candidates.size(), options.kept));

  std::vector<std::array<std::uint64_t, 2>> counts(candidates.size());
  for (std::size_t secret = 0; secret < 2; ++secret)
    for (std::uint64_t trial = 0; trial < options.draws; ++trial) {
      Seen const seen = draw(secret, options.selection + trial);
      for (std::size_t c = 0; c < candidates.size(); ++c)
        counts[c][secret] += events[candidates[c].event].holds(seen) ? 1U : 0U;
    }
  AuditResult best;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    bool const reversed = candidates[c].reversed;
    double const epsilon = proven_epsilon(counts[c][reversed ? 1 : 0], counts[c][reversed ? 0 : 1], options.draws,
                                          options.significance / static_cast<double>(candidates.size()), options.delta);
    if (epsilon > best.epsilon) best = {epsilon, events[candidates[c].event].name};
  }
  return best;
}

}  // namespace fltr::testing
