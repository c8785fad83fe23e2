#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/reduction_tree.hpp>
#include <fltr/execution/detail/block_time.hpp>
#include <fltr/execution/detail/fork_join.hpp>

namespace fltr {

/// Runs blocks on several threads of this machine (oneTBB). The halves of the reduction tree are tasks; results are
/// joined in the order of Serial.
///
/// The threads are kept between calls, because creating threads costs more than a small call. Copies share the threads.
/// Work that takes less than 200 µs stays on the calling thread, because waking other threads would take longer. Work
/// that was short in the last calls starts on the calling thread; if it takes longer this time, the remaining blocks go
/// to the other threads.
class Threads {
 public:
  static constexpr bool shares_memory = true;

  /// count: the number of threads; 0: one per core.
  explicit Threads(int count = 0) : team_(std::make_shared<Team>(count)) {}

  // A move copies, so that the source stays usable.
  Threads(Threads const&) = default;
  Threads& operator=(Threads const&) = default;
  ~Threads() = default;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    if (blocks <= 1 || team_->size == 1) return reduce_tree(0, blocks, leaf);
    detail::BlockTime& time = team_->template time_of<Leaf>();
    if (time.expected(blocks) < worth_waking) {
      auto const begin = detail::BlockTime::now();
      auto result = alone(0, blocks, leaf, begin + worth_waking);
      time.add((detail::BlockTime::now() - begin) / static_cast<detail::BlockTime::Duration::rep>(blocks));
      return result;
    }
    return together(0, blocks, [&leaf, &time](std::size_t block) {
      if (block != 0) return leaf(block);
      auto const begin = detail::BlockTime::now();
      auto result = leaf(block);
      time.add(detail::BlockTime::now() - begin);
      return result;
    });
  }

 private:
  /// Below this duration, waking threads costs more than it saves.
  static constexpr std::chrono::microseconds worth_waking{200};

  struct Team {
    explicit Team(int threads)
        : count(checked(threads)),
          size(count == 0 ? oneapi::tbb::info::default_concurrency() : count),
          arena(count == 0 ? oneapi::tbb::task_arena::automatic : count) {}

    static int checked(int threads) {
      require(threads >= 0, "Threads", "a count >= 0", threads);
      return threads;
    }
    /// The times of this type of leaf. Different calls in a program have different types. Two types may share an entry,
    /// which only makes the estimate worse.
    template <class Leaf>
    [[nodiscard]] detail::BlockTime& time_of() noexcept {
      return times[(reinterpret_cast<std::uintptr_t>(&kind<Leaf>) >> 2U) % times.size()];
    }
    template <class Leaf>
    static constexpr std::uint32_t kind = 0;  // its address identifies the type

    int count;  // the argument of the constructor
    int size;
    oneapi::tbb::task_arena arena;  // starts at its first use
    std::array<detail::BlockTime, 61> times;
  };

  /// Runs on the calling thread until the deadline, then on all threads.
  template <class Leaf>
  auto alone(std::size_t low, std::size_t high, Leaf const& leaf, std::chrono::steady_clock::time_point deadline) const
      -> decltype(leaf(low)) {
    if (high - low <= 1) return leaf(low);
    if (detail::BlockTime::now() >= deadline) return together(low, high, leaf);
    std::size_t const middle = tree_cut(low, high);
    auto left = alone(low, middle, leaf, deadline);
    left.merge(alone(middle, high, leaf, deadline));
    return left;
  }

  template <class Leaf>
  auto together(std::size_t low, std::size_t high, Leaf const& leaf) const -> decltype(leaf(low)) {
    // oneTBB must be told to allow more threads than cores (tests of reproducibility use more).
    std::optional<oneapi::tbb::global_control> more;
    if (team_->count > oneapi::tbb::info::default_concurrency())
      more.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(team_->count));
    return team_->arena.execute([&] { return node(low, high, leaf); });
  }

  struct Cancelled {};

  template <class Leaf>
  static auto node(std::size_t low, std::size_t high, Leaf const& leaf) -> decltype(leaf(low)) {
    if (high - low <= 1) return leaf(low);
    std::size_t const middle = tree_cut(low, high);
    std::optional<decltype(leaf(low))> left;
    std::optional<decltype(leaf(low))> right;
    detail::ForkJoin order;
    auto const task = [&](auto& half, std::size_t from, std::size_t to) {
      order.begin_task();
      half.emplace(node(from, to, leaf));
      order.end_task();
    };
    order.fork();
    oneapi::tbb::parallel_invoke([&] { task(left, low, middle); }, [&] { task(right, middle, high); });
    order.join();
    // After an exception elsewhere oneTBB cancels this work and returns without it. The first exception is the one that
    // reaches the caller.
    if (!left || !right) throw Cancelled{};
    left->merge(std::move(*right));
    return std::move(*left);
  }

  std::shared_ptr<Team> team_;
};
static_assert(Execution<Threads>);

}  // namespace fltr
