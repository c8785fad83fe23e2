#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/nanobench.hpp"

namespace fltr::benchmarks {

/// Compares operations with a baseline. In each of several rounds every operation is measured once, and the medians
/// over the rounds are compared. So all operations are measured under the same load, also on a shared machine.
class SideBySide {
 public:
  explicit SideBySide(std::string title) : title_(std::move(title)) {}

  /// `work` is the number of units (interactions, queries) of one call. The first operation added is the baseline.
  void add(std::string name, double work, std::function<void()> operation) {
    entries_.push_back({std::move(name), work, std::move(operation), {}});
  }

  /// Prints a table: microseconds per unit, and the ratio to the baseline.
  void run(std::size_t rounds = 9, std::uint64_t calls = 1) {
    for (auto& entry : entries_) entry.operation();  // warm up
    for (std::size_t round = 0; round < rounds; ++round)
      for (auto& entry : entries_) {
        ankerl::nanobench::Bench bench;
        bench.output(nullptr).epochs(1).epochIterations(calls).run(entry.name, entry.operation);
        entry.seconds.push_back(bench.results().back().median(ankerl::nanobench::Result::Measure::elapsed) /
                                entry.work);
      }
    std::printf("%s\n", title_.c_str());
    for (auto& entry : entries_)
      std::printf("  %-44s %10.3f us %8.2f x\n", entry.name.c_str(), 1e6 * median(entry), ratio(entry));
  }

  /// The median time of an operation divided by that of the baseline.
  [[nodiscard]] double ratio(std::size_t operation) { return ratio(entries_[operation]); }

 private:
  struct Entry {
    std::string name;
    double work;
    std::function<void()> operation;
    std::vector<double> seconds;
  };
  static double median(Entry& entry) {
    auto const middle = entry.seconds.begin() + static_cast<std::ptrdiff_t>(entry.seconds.size() / 2);
    std::nth_element(entry.seconds.begin(), middle, entry.seconds.end());
    return *middle;
  }
  double ratio(Entry& entry) { return median(entry) / median(entries_.front()); }

  std::string title_;
  std::vector<Entry> entries_;
};

}  // namespace fltr::benchmarks
