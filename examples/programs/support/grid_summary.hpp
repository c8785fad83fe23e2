#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grid_cells.hpp"
#include "poisoning_kinds.hpp"

namespace fltr::examples {

/// The trainings of a grid: all combinations of these values.
struct GridAxes {
  std::vector<Clicks> clicks;
  std::vector<AttackKind> attacks;  ///< without `none`
  std::vector<Defence> defences;
  std::vector<std::uint32_t> malicious;    ///< numbers of malicious clients
  std::optional<std::uint32_t> assumed{};  ///< the number that aggregators assume; none: the true number
  std::vector<std::uint64_t> folds{1};
  std::vector<std::uint64_t> seeds{1};
  /// Whether the defence can work with as many messages as there are clients.
  std::function<bool(Defence const& defence, std::uint32_t assumed)> can_run = [](auto const&, auto) { return true; };

  /// The number that a defence assumes against `malicious` clients; 0 if it assumes none.
  [[nodiscard]] std::uint32_t assumed_by(Defence const& defence, std::uint32_t malicious) const;
  /// The training of a defence without an attack, if it is to stand `malicious` clients.
  [[nodiscard]] GridKey honest(std::uint64_t fold, std::uint64_t seed, Clicks clicks, Defence const& defence,
                               std::uint32_t malicious) const;
  [[nodiscard]] GridKey attacked(std::uint64_t fold, std::uint64_t seed, Clicks clicks, Defence const& defence,
                                 AttackKind attack, std::uint32_t malicious) const;
  /// All trainings of a fold, seed by seed. Plain federated averaging without an attack is always among them. Trainings
  /// of defences that cannot run are left out.
  [[nodiscard]] std::vector<GridKey> trainings(std::uint64_t fold) const;
};

/// Whether the result of the defence depends on the assumed number of malicious clients.
[[nodiscard]] bool uses_assumed(Defence const& defence) noexcept;

/// The mean of differences over runs, with the 95 % interval of Student's paired t-test.
struct Estimate {
  std::size_t runs = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< NaN without a run
  double low = std::numeric_limits<double>::quiet_NaN();   ///< NaN for fewer than two runs
  double high = std::numeric_limits<double>::quiet_NaN();
};
[[nodiscard]] Estimate estimate(std::vector<double> const& differences);

/// Where a defence loses most.
struct WorstCase {
  Defence defence;
  Clicks clicks = Clicks::perfect;
  AttackKind attack = AttackKind::none;
  std::uint32_t malicious = 0;
  Estimate loss{};
};

/// The answer to: does a defence cost at most a given nDCG without an attack?
enum class CostVerdict {
  within,     ///< the upper end of every interval is at most the limit
  undecided,  ///< neither
  above,      ///< the lower end of an interval is above the limit
};

/// Means over the runs (folds and seeds) of a grid. All differences are paired: each run is compared with the run of the
/// same fold and seed. Runs that are not finished do not count.
///
///     cost   = nDCG@10 of FedAvg without an attack − nDCG@10 of the defence without an attack
///     damage = nDCG@10 of the defence without an attack − nDCG@10 of the attacked defence
///     loss   = cost + damage
class GridSummary {
 public:
  GridSummary(GridAxes const& axes, GridResults const& results, GridFailures failures = {})
      : axes_(axes), results_(results), failures_(std::move(failures)) {}

  /// nDCG@10 of FedAvg without an attack, mean over runs.
  [[nodiscard]] double reference(Clicks clicks) const;
  [[nodiscard]] Estimate cost(Clicks clicks, Defence const& defence, std::uint32_t malicious) const;
  [[nodiscard]] Estimate damage(Clicks clicks, Defence const& defence, AttackKind attack,
                                std::uint32_t malicious) const;
  [[nodiscard]] Estimate loss(Clicks clicks, Defence const& defence, AttackKind attack, std::uint32_t malicious) const;

  /// The largest mean loss over all attacks, and over all behaviours and numbers of malicious clients that are not
  /// given. None if no such training is finished.
  [[nodiscard]] std::optional<WorstCase> worst(Defence const& defence, std::optional<Clicks> clicks,
                                               std::optional<std::uint32_t> malicious) const;
  /// The largest mean cost over all assumed numbers, and over all behaviours if none is given.
  [[nodiscard]] std::optional<WorstCase> highest_cost(Defence const& defence, std::optional<Clicks> clicks = {}) const;

  /// Whether there are enough clients for the defence against this number of malicious clients, or against every number
  /// of the grid.
  [[nodiscard]] bool possible(Defence const& defence, std::optional<std::uint32_t> malicious = {}) const;
  /// Whether a training of the defence against this number of malicious clients failed, or against any number.
  [[nodiscard]] bool failed(Defence const& defence, std::optional<std::uint32_t> malicious = {}) const;
  /// Why a training of this cell failed, `AttackKind::none` for that without an attack; none if none failed.
  [[nodiscard]] std::optional<std::string> failure(Clicks clicks, Defence const& defence, AttackKind attack,
                                                   std::uint32_t malicious) const;
  /// `possible` and not `failed`.
  [[nodiscard]] bool runs(Defence const& defence, std::optional<std::uint32_t> malicious = {}) const {
    return possible(defence, malicious) && !failed(defence, malicious);
  }
  /// The worst cases of all defences that can run, the smallest loss first.
  [[nodiscard]] std::vector<WorstCase> ranking(std::optional<std::uint32_t> malicious = {}) const;
  /// The difference of two worst cases, b − a, paired over runs.
  [[nodiscard]] Estimate difference(WorstCase const& a, WorstCase const& b) const;
  /// Over all behaviours and assumed numbers.
  [[nodiscard]] CostVerdict cost_verdict(Defence const& defence, double limit) const;

  [[nodiscard]] GridAxes const& axes() const noexcept { return axes_; }
  [[nodiscard]] GridFailures const& failures() const noexcept { return failures_; }
  [[nodiscard]] std::size_t run_count() const noexcept { return axes_.folds.size() * axes_.seeds.size(); }

  /// A value of each run whose training is finished: value(result), in the order of folds and seeds.
  [[nodiscard]] std::vector<double> values(std::function<GridKey(std::uint64_t fold, std::uint64_t seed)> const& key,
                                           std::function<std::optional<double>(GridResult const&)> const& value) const;

 private:
  using RunKey = std::function<GridKey(std::uint64_t fold, std::uint64_t seed)>;

  /// nDCG@10 of `a` − nDCG@10 of `b`, for each run for which both are finished.
  [[nodiscard]] std::vector<double> differences(RunKey const& a, RunKey const& b) const;
  [[nodiscard]] RunKey honest(Clicks clicks, Defence const& defence, std::uint32_t malicious) const;
  [[nodiscard]] RunKey attacked(Clicks clicks, Defence const& defence, AttackKind attack,
                                std::uint32_t malicious) const;

  GridAxes const& axes_;
  GridResults const& results_;
  GridFailures failures_;
};

}  // namespace fltr::examples
