#include "run_summary.hpp"

#include <algorithm>
#include <limits>

namespace fltr::examples {

RunSummary::RunSummary(std::deque<Run> const& runs, std::string_view first) : runs_(&runs) {
  for (Run const& run : runs)
    for (auto const& [name, value] : results_.emplace_back(run.results()))
      if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  std::stable_partition(names_.begin(), names_.end(), [first](std::string const& name) { return name == first; });
}

std::vector<double> RunSummary::values(std::string_view name, std::size_t fold) const {
  std::vector<double> values;
  for (std::size_t r = 0; r < runs_->size(); ++r) {
    if (fold != 0 && (*runs_)[r].fold() != fold) continue;
    auto const found = std::ranges::find(results_[r], name, &NamedResults::value_type::first);
    values.push_back(found != results_[r].end() ? found->second : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<std::size_t> RunSummary::folds() const {
  std::vector<std::size_t> numbers;
  for (Run const& run : *runs_)
    if (std::ranges::find(numbers, run.fold()) == numbers.end()) numbers.push_back(run.fold());
  return numbers;
}

std::uint64_t RunSummary::interactions() const {
  std::uint64_t sum = 0;
  for (Run const& run : *runs_) sum += run.interactions();
  return sum;
}

double RunSummary::train_seconds() const {
  double sum = 0;
  for (Run const& run : *runs_) sum += run.train_seconds();
  return sum;
}

double RunSummary::evaluate_seconds() const {
  double sum = 0;
  for (Run const& run : *runs_) sum += run.evaluate_seconds();
  return sum;
}

}  // namespace fltr::examples
