#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "run.hpp"

namespace fltr::examples {

/// Results and totals over the runs of a program.
class RunSummary {
 public:
  /// `first` is the name of the result that comes first, if there is such a result.
  explicit RunSummary(std::deque<Run> const& runs, std::string_view first = {});

  /// The names of all results, in the order of run.json.
  [[nodiscard]] std::vector<std::string> const& names() const noexcept { return names_; }
  /// A result of every run of a fold (0: of all folds). NaN for a run without this result.
  [[nodiscard]] std::vector<double> values(std::string_view name, std::size_t fold = 0) const;
  /// The numbers of the folds, in the order of the runs.
  [[nodiscard]] std::vector<std::size_t> folds() const;
  [[nodiscard]] std::uint64_t interactions() const;
  [[nodiscard]] double train_seconds() const;
  [[nodiscard]] double evaluate_seconds() const;

 private:
  std::deque<Run> const* runs_;
  std::vector<NamedResults> results_;  // of each run
  std::vector<std::string> names_;
};

}  // namespace fltr::examples
