#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// The duration of a block of one kind of work: the longest of the last calls, where older calls count less. A single
/// slow call, for example of a preempted thread, does not count. Used for scheduling only: no result depends on it.
/// Several threads may use one object at the same time.
class BlockTime {
 public:
  using Duration = std::chrono::steady_clock::duration;

  [[nodiscard]] static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  /// The time that this number of blocks would take on one thread. The expected time of work that was never measured is
  /// the largest Duration.
  [[nodiscard]] Duration expected(std::size_t blocks) const noexcept {
    auto const one = longest_.load(std::memory_order_relaxed);
    auto const most = std::numeric_limits<Duration::rep>::max();
    return Duration(one > most / static_cast<Duration::rep>(blocks) ? most : one * static_cast<Duration::rep>(blocks));
  }
  void add(Duration of_one_block) noexcept {
    auto const last = last_.exchange(of_one_block.count(), std::memory_order_relaxed);
    auto const before = longest_.load(std::memory_order_relaxed);
    auto const faded = before == unknown ? Duration::rep{0} : before - before / 16;
    longest_.store(std::max(std::min(of_one_block.count(), last), faded), std::memory_order_relaxed);
  }

 private:
  static constexpr Duration::rep unknown = std::numeric_limits<Duration::rep>::max();
  std::atomic<Duration::rep> last_ = unknown;
  std::atomic<Duration::rep> longest_ = unknown;
};

}  // namespace fltr::detail
