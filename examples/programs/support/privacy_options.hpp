#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <fltr/federation/round.hpp>

#include "program.hpp"
#include "range.hpp"

namespace fltr::examples {

/// The privacy budget of a run.
struct PrivacyOptions {
  std::optional<double> budget{};  ///< of the accounted epsilon of all rounds
  double delta = 1e-5;
};

/// Adds --budget and --delta to a program whose messages can be private.
inline void add_privacy_options(Program& program, PrivacyOptions& options) {
  program.number(
      "--budget", options.budget,
      "largest accounted epsilon over all rounds; the run stops before a round that could exceed it, and the budget "
      "holds at every earlier stop",
      above(0));
  program.number("--delta", options.delta, "delta of the bound on the privacy loss over all rounds",
                 {.least = 0, .most = 1, .most_included = false});
}

/// Adds --public-statistics to a program whose messages can be private.
inline void add_statistics_option(Program& program, CommonOptions& options) {
  program.flag("--public-statistics", options.public_statistics,
               "declares that the mean and standard deviation of --normalize zscore are public; otherwise they are "
               "clients' data that no noise covers, and the accounted epsilon is infinite");
}

/// The options of a training. A round needs `minimum` messages; with a budget, `reports` messages: a budget assumes the
/// worst that the rules allow, and for noise that protects only sums this is noise that is missing.
[[nodiscard]] inline RunOptions run_options(std::uint64_t seed, std::uint64_t minimum, std::uint64_t reports,
                                            PrivacyOptions const& options) {
  return {.seed = seed,
          .minimum_reports = options.budget ? reports : minimum,
          .epsilon_budget = options.budget.value_or(std::numeric_limits<double>::infinity()),
          .delta = options.delta};
}

}  // namespace fltr::examples
