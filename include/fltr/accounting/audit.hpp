#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/math/distributions/beta.hpp>

#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// What an audit does. `draws` and `selection` are numbers of runs per secret.
struct AuditOptions {
  std::uint64_t draws = 1'000'000;    ///< on these the events are counted
  std::uint64_t selection = 200'000;  ///< other draws; on these the events are chosen
  std::size_t kept = 6;               ///< number of events that are chosen
  double delta = 0.0;                 ///< of the guarantee
  double significance = 0.001;        ///< probability that the bound is wrong, for all chosen events together
};

/// The result of an audit.
struct AuditResult {
  double epsilon = 0.0;  ///< proven lower bound on ε; 0 if none is proven
  std::string event;     ///< the event that proves it
};

/// The lower bound on ε if an event holds in `more` of n draws under one secret and in `less` of n draws under the
/// other: ln((p − δ) / q) with the Clopper-Pearson limits p (lower) and q (upper), each at half the significance.
[[nodiscard]] inline double proven_epsilon(std::uint64_t more, std::uint64_t less, std::uint64_t n, double significance,
                                           double delta) {
  require(more <= n && less <= n, "proven_epsilon", "counts of at most n", std::max(more, less));
  require(significance > 0.0 && significance < 1.0, "proven_epsilon", "a significance in (0, 1)", significance);
  if (more == 0) return 0.0;
  auto const a = static_cast<double>(more);
  auto const b = static_cast<double>(less);
  auto const all = static_cast<double>(n);
  double const low = boost::math::quantile(boost::math::beta_distribution<>(a, all - a + 1.0), significance / 2.0);
  double const high = less == n ? 1.0
                                : boost::math::quantile(boost::math::complement(
                                      boost::math::beta_distribution<>(b + 1.0, all - b), significance / 2.0));
  return low > delta ? std::max(0.0, math::log((low - delta) / high)) : 0.0;
}

/// An event on the numbers that an observer sees: one of them, or their sum, is above or below a threshold.
struct ThresholdEvent {
  static constexpr std::size_t sum = static_cast<std::size_t>(-1);

  std::string name;
  std::size_t index = 0;  ///< of the number; `sum`: of all numbers
  double at = 0.0;
  bool above = true;

  [[nodiscard]] static double number(std::vector<double> const& seen, std::size_t index) {
    if (index < seen.size()) return seen[index];
    double total = 0.0;
    for (double const v : seen) total += v;
    return total;
  }
  [[nodiscard]] bool holds(std::vector<double> const& seen) const {
    return above ? number(seen, index) > at : number(seen, index) < at;
  }
};

/// Thresholds at quantiles of each number and of the sum, for draws that have the same length.
[[nodiscard]] inline std::vector<ThresholdEvent> threshold_events(std::vector<std::vector<double>> const& draws) {
  require(!draws.empty(), "threshold_events", "at least one draw", draws.size());
  std::vector<ThresholdEvent> events;
  std::vector<std::size_t> numbers(draws.front().size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  if (numbers.size() > 1) numbers.push_back(ThresholdEvent::sum);
  for (std::size_t const index : numbers) {
    std::string const name = index == ThresholdEvent::sum ? "sum" : "number " + std::to_string(index);
    std::vector<double> values;
    for (auto const& seen : draws) values.push_back(ThresholdEvent::number(seen, index));
    std::ranges::sort(values);
    for (double const q :
         {0.0, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0}) {
      double const at = values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
      events.push_back({name + " > " + number_text(at), index, at, true});
      events.push_back({name + " < " + number_text(at), index, at, false});
    }
  }
  return events;
}

/// An empirical lower bound on ε of anything random, by two secrets. `draw(secret, trial)` runs it with secret 0 or 1
/// and returns what the observer sees; each (secret, trial) must use its own random numbers. `make_events(draws)` returns
/// events: values with a `name` and `bool holds(seen) const`. The events with the largest bounds are chosen on
/// `selection` draws and counted on `draws` others, so that the choice does not make the bound invalid.
///
/// A bound above the stated ε proves that the statement is wrong. A bound below it proves nothing about the mechanism:
/// audits have power only for an ε of at most about 2 and for few coordinates. n draws per secret can prove at most
/// about ln(n / ln(2 kept / significance)) (9.3 for 100,000 and the default options), and only with an event that is
/// certain under one secret.
template <class Draw, class MakeEvents>
[[nodiscard]] AuditResult audit(Draw const& draw, MakeEvents const& make_events, AuditOptions const& options = {}) {
  using Seen = std::remove_cvref_t<std::invoke_result_t<Draw const&, std::size_t, std::uint64_t>>;
  require(options.draws > 0 && options.selection > 0 && options.kept > 0, "audit", "draws, selection and kept above 0",
          std::min({options.draws, options.selection, std::uint64_t{options.kept}}));
  std::array<std::vector<Seen>, 2> chosen_on;
  for (std::size_t secret = 0; secret < 2; ++secret)
    for (std::uint64_t trial = 0; trial < options.selection; ++trial) chosen_on[secret].push_back(draw(secret, trial));
  std::vector<Seen> both = chosen_on[0];
  both.insert(both.end(), chosen_on[1].begin(), chosen_on[1].end());
  auto const events = make_events(std::as_const(both));

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
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::bound);
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

/// Audits what a server learns from single messages of a privatizer. `secrets`: the message of the client with two
/// different data sets. `context`: everything but the random numbers, which follow from `seed`. The observer sees
/// `numbers(message)`, a std::vector<double>.
template <class P, class M, class Numbers>
[[nodiscard]] AuditResult audit_privatizer(P const& privatizer, std::array<M, 2> const& secrets,
                                           PrivacyContext const& context, Numbers const& numbers,
                                           AuditOptions const& options = {}, std::uint64_t seed = 1) {
  return audit(
      [&](std::size_t secret, std::uint64_t trial) {
        PrivacyContext own = context;
        own.streams = Streams{.seed = seed,
                              .round = static_cast<std::uint32_t>(2 * (trial >> 32U) + secret),
                              .client = static_cast<std::uint32_t>(trial)};
        return numbers(privatized(privatizer, secrets[secret], own));
      },
      threshold_events, options);
}

/// Audits whole federations. `start(secret, seed)` returns a Training in which the data of one client is secret 0 or 1.
/// It runs `rounds` rounds. The observer sees `observe(training)`, a std::vector<double>: the ranker, or what an
/// aggregator keeps in its state.
template <class Start, class Observe>
requires std::invocable<Start const&, std::size_t, std::uint64_t>
[[nodiscard]] AuditResult audit_federation(Start const& start, std::uint32_t rounds, Observe const& observe,
                                           AuditOptions const& options = {}, std::uint64_t seed = 1) {
  return audit(
      [&](std::size_t secret, std::uint64_t trial) {
        auto training = start(secret, (seed << 32U) + 2 * trial + secret);
        training.run(rounds);
        return observe(training);
      },
      threshold_events, options);
}

}  // namespace fltr
