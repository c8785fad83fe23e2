#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// The part of nanobench's interface that the benchmarks use, for machines without nanobench. It measures wall-clock
/// time and no performance counters. The names are those of nanobench.
namespace ankerl::nanobench {

using Clock = std::chrono::steady_clock;

struct Config {
  std::string mBenchmarkTitle = "benchmark";
  std::string mBenchmarkName = "noname";
  std::string mUnit = "op";
  double mBatch = 1.0;
  std::size_t mNumEpochs = 11;
  std::chrono::nanoseconds mMinEpochTime = std::chrono::milliseconds(1);
  std::uint64_t mMinEpochIterations = 1;
  std::uint64_t mEpochIterations = 0;  // if not 0, the exact number of iterations
  std::uint64_t mWarmup = 0;
  std::ostream* mOut = &std::cout;
  bool mIsRelative = false;
};

/// The measurements of one run: one value per epoch.
class Result {
 public:
  enum class Measure : std::size_t { elapsed, iterations };

  explicit Result(Config config) : config_(std::move(config)) {}

  /// Adds one epoch. As in nanobench, `elapsed` is stored in seconds per iteration.
  void add(Clock::duration total, std::uint64_t iterations) {
    elapsed_.push_back(std::chrono::duration<double>(total).count() / static_cast<double>(iterations));
    iterations_.push_back(static_cast<double>(iterations));
  }

  [[nodiscard]] Config const& config() const noexcept { return config_; }
  [[nodiscard]] bool has(Measure) const noexcept { return !empty(); }
  [[nodiscard]] bool empty() const noexcept { return elapsed_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return elapsed_.size(); }
  [[nodiscard]] double get(std::size_t epoch, Measure measure) const { return values(measure).at(epoch); }

  [[nodiscard]] double median(Measure measure) const { return median_of(values(measure)); }
  [[nodiscard]] double medianAbsolutePercentError(Measure measure) const {
    double const middle = median(measure);
    std::vector<double> errors;
    for (double const value : values(measure))
      errors.push_back(value == middle ? 0.0 : std::abs((value - middle) / value));  // infinite for a value of 0
    return median_of(errors);
  }
  [[nodiscard]] double average(Measure measure) const {
    return empty() ? 0.0 : sum(measure) / static_cast<double>(size());
  }
  [[nodiscard]] double sum(Measure measure) const noexcept {
    return std::accumulate(values(measure).begin(), values(measure).end(), 0.0);
  }
  [[nodiscard]] double minimum(Measure measure) const noexcept {
    return empty() ? 0.0 : *std::min_element(values(measure).begin(), values(measure).end());
  }
  [[nodiscard]] double maximum(Measure measure) const noexcept {
    return empty() ? 0.0 : *std::max_element(values(measure).begin(), values(measure).end());
  }

 private:
  [[nodiscard]] std::vector<double> const& values(Measure measure) const noexcept {
    return measure == Measure::elapsed ? elapsed_ : iterations_;
  }
  [[nodiscard]] static double median_of(std::vector<double> values) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    std::size_t const middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  Config config_;
  std::vector<double> elapsed_;
  std::vector<double> iterations_;
};

/// Forces the compiler to compute the value, and to assume that a non-const object has changed.
template <class T>
void doNotOptimizeAway(T&& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Settings are kept between runs. Results accumulate in one table. Another title or unit begins a new table.
class Bench {
 public:
  Bench& title(std::string const& text) {
    if (text != config_.mBenchmarkTitle) results_.clear();
    return set(config_.mBenchmarkTitle, text);
  }
  Bench& name(std::string const& text) { return set(config_.mBenchmarkName, text); }
  Bench& unit(std::string const& text) {
    if (text != config_.mUnit) results_.clear();
    return set(config_.mUnit, text);
  }
  template <class T>
  Bench& batch(T units_per_iteration) noexcept {
    return set(config_.mBatch, static_cast<double>(units_per_iteration));
  }
  /// Prints the ratio of the medians to that of the first run.
  Bench& relative(bool on) noexcept { return set(config_.mIsRelative, on); }
  Bench& epochs(std::size_t count) noexcept { return set(config_.mNumEpochs, count); }
  Bench& minEpochTime(std::chrono::nanoseconds time) noexcept { return set(config_.mMinEpochTime, time); }
  Bench& minEpochIterations(std::uint64_t count) noexcept {
    return set(config_.mMinEpochIterations, std::max<std::uint64_t>(count, 1));
  }
  Bench& epochIterations(std::uint64_t count) noexcept { return set(config_.mEpochIterations, count); }
  Bench& warmup(std::uint64_t iterations) noexcept { return set(config_.mWarmup, iterations); }
  Bench& output(std::ostream* out) noexcept { return set(config_.mOut, out); }
  Bench& performanceCounters(bool) noexcept { return *this; }

  template <class Op>
  Bench& run(std::string const& benchmark_name, Op&& op) {
    name(benchmark_name);
    return run(std::forward<Op>(op));
  }
  template <class Op>
  Bench& run(Op&& op) {
    if (config_.mWarmup > 0) (void)time(config_.mWarmup, op);
    std::uint64_t const iterations = config_.mEpochIterations > 0 ? config_.mEpochIterations : calibrate(op);
    Result result(config_);
    for (std::size_t epoch = 0; epoch < config_.mNumEpochs; ++epoch) result.add(time(iterations, op), iterations);
    results_.push_back(std::move(result));
    if (config_.mOut != nullptr) print(results_.back());
    return *this;
  }

  template <class T>
  Bench& doNotOptimizeAway(T&& value) {
    nanobench::doNotOptimizeAway(std::forward<T>(value));
    return *this;
  }

  [[nodiscard]] std::vector<Result> const& results() const noexcept { return results_; }

 private:
  template <class T>
  Bench& set(T& setting, T value) {
    setting = std::move(value);
    return *this;
  }

  template <class Op>
  static Clock::duration time(std::uint64_t iterations, Op& op) {
    auto const before = Clock::now();
    for (std::uint64_t i = 0; i < iterations; ++i) op();
    return Clock::now() - before;
  }

  /// The number of iterations that fill the minimum epoch time.
  template <class Op>
  [[nodiscard]] std::uint64_t calibrate(Op& op) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 40U;  // an empty operation takes no time
    for (std::uint64_t iterations = config_.mMinEpochIterations;;) {
      auto const elapsed = time(iterations, op);
      if (elapsed >= config_.mMinEpochTime || iterations >= most) return iterations;
      // Increases the number towards 1.2 times the goal, at most tenfold: the first measurements are rough.
      double const missing = 1.2 * std::chrono::duration<double>(config_.mMinEpochTime).count() /
                             std::max(std::chrono::duration<double>(elapsed).count(), 1e-9);
      iterations =
          static_cast<std::uint64_t>(std::ceil(static_cast<double>(iterations) * std::clamp(missing, 1.2, 10.0)));
    }
  }

  void print(Result const& result) {
    auto const elapsed = Result::Measure::elapsed;
    std::string const& unit = config_.mUnit;
    std::ostringstream line;
    line << std::fixed;
    if (results_.size() == 1) {
      std::string const relative_head = config_.mIsRelative ? "| relative " : "";
      std::string const relative_rule = config_.mIsRelative ? "|---------:" : "";
      line << '\n'
           << relative_head << "| " << std::setw(15) << "ns/" + unit << " | " << std::setw(15) << unit + "/s"
           << " |    err% | " << config_.mBenchmarkTitle << '\n'
           << relative_rule << "|----------------:|----------------:|--------:|:---\n";
    }
    double const seconds = result.median(elapsed) / config_.mBatch;
    if (config_.mIsRelative) {
      double const first = results_.front().median(elapsed) / results_.front().config().mBatch;
      line << "| " << std::setw(7) << std::setprecision(1) << 100.0 * first / seconds << "% ";
    }
    line << "| " << std::setw(15) << std::setprecision(2) << seconds * 1e9 << " | " << std::setw(15) << 1.0 / seconds
         << " | " << std::setw(6) << std::setprecision(1) << 100.0 * result.medianAbsolutePercentError(elapsed)
         << "% | `" << config_.mBenchmarkName << "`\n";
    *config_.mOut << line.str() << std::flush;
  }

  Config config_;
  std::vector<Result> results_;
};

}  // namespace ankerl::nanobench
