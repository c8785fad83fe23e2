#pragma once

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/nanobench.hpp"
#include "support/row.hpp"

namespace fltr::benchmarks {

/// The processor time of the calling thread, in seconds.
[[nodiscard]] inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What one measurement of an operation took, in seconds per unit.
struct Seconds {
  double processor = 0.0;  ///< of the calling thread
  double elapsed = 0.0;    ///< wall-clock time
};

/// Compares operations with baselines. In each of several rounds every operation is measured once, so that all
/// operations are measured under the same load, also on a shared machine. A time is the median over the rounds, and a
/// ratio is the median over the rounds of the ratios within a round. Rows are measured in processor time, on which other
/// programs have little influence, and rows with several threads in wall-clock time.
class SideBySide {
 public:
  explicit SideBySide(std::size_t rounds) : rounds_(rounds) {}

  /// An operation that is called `calls` times in a row in each round. `work` is the number of units (interactions,
  /// queries) of one call.
  struct Operation {
    std::string name;
    double work = 1.0;
    std::uint64_t calls = 1;
    std::function<void()> run;
  };
  enum class Clock : std::uint8_t { processor, elapsed };

  /// Adds an operation that is only a baseline of others.
  void baseline(Operation operation) { add(std::move(operation), ""); }
  /// Adds a row: an operation, and the name of the operation that it is compared with.
  void add(Operation operation, std::string baseline, Clock clock = Clock::processor) {
    operation.run();  // warm up
    auto name = operation.name;
    auto const measure = [op = std::move(operation)] {
      Seconds seconds;
      ankerl::nanobench::Bench bench;
      bench.output(nullptr).epochs(1).epochIterations(1).run(op.name, [&] {
        double const before = thread_seconds();
        for (std::uint64_t call = 0; call < op.calls; ++call) op.run();
        seconds.processor = thread_seconds() - before;
      });
      seconds.elapsed = bench.results().back().median(ankerl::nanobench::Result::Measure::elapsed);
      double const units = op.work * static_cast<double>(op.calls);
      return Seconds{seconds.processor / units, seconds.elapsed / units};
    };
    add_measured(std::move(name), measure, std::move(baseline), clock);
  }
  /// Adds a row whose operation measures itself. An empty baseline means no row.
  void add_measured(std::string name, std::function<Seconds()> measure, std::string baseline,
                    Clock clock = Clock::processor) {
    entries_.push_back({std::move(name), std::move(baseline), clock, std::move(measure), {}});
  }

  /// Measures everything and returns the rows in the order in which they were added.
  [[nodiscard]] std::vector<Row> run() {
    for (std::size_t round = 0; round < rounds_; ++round)
      for (auto& entry : entries_) entry.measured.push_back(entry.measure());
    std::vector<Row> rows;
    for (auto const& entry : entries_) {
      if (entry.baseline.empty()) continue;
      auto const own = times(entry, entry.clock);
      auto const base = times(named(entry.baseline), entry.clock);
      std::vector<double> ratios;
      for (std::size_t i = 0; i < own.size(); ++i) ratios.push_back(own[i] / base[i]);
      rows.push_back({entry.name, entry.baseline, median(std::move(ratios)), 1e9 * median(own)});
    }
    return rows;
  }

 private:
  struct Entry {
    std::string name;
    std::string baseline;
    Clock clock;
    std::function<Seconds()> measure;
    std::vector<Seconds> measured;
  };

  [[nodiscard]] static std::vector<double> times(Entry const& entry, Clock clock) {
    std::vector<double> out;
    for (Seconds const& seconds : entry.measured)
      out.push_back(clock == Clock::processor ? seconds.processor : seconds.elapsed);
    return out;
  }

  [[nodiscard]] Entry const& named(std::string const& name) const {
    auto const found = std::ranges::find(entries_, name, &Entry::name);
    if (found == entries_.end()) throw std::logic_error("SideBySide: no operation has the name '" + name + "'");
    return *found;
  }
  [[nodiscard]] static double median(std::vector<double> values) {
    if (values.empty()) throw std::logic_error("SideBySide: required at least one round, got 0");
    std::ranges::sort(values);
    std::size_t const middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  std::size_t rounds_;
  std::vector<Entry> entries_;
};

}  // namespace fltr::benchmarks
