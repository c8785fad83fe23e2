#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/tree.hpp>

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace fltr {

/// Tells the thread sanitizer, if enabled, the order of oneTBB tasks: a task begins after it was created, and the
/// waiting thread continues after the task ended. The sanitizer cannot see this in a oneTBB that was compiled without
/// it.
class ForkJoin {
 public:
  void fork() { release(begun_); }
  void begin_task() { acquire(begun_); }
  void end_task() { release(ended_); }
  void join() { acquire(ended_); }

 private:
#if defined(__SANITIZE_THREAD__)
  static void acquire(char& mark) { __tsan_acquire(&mark); }
  static void release(char& mark) { __tsan_release(&mark); }
#else
  static void acquire(char&) {}
  static void release(char&) {}
#endif
  char begun_ = 0;
  char ended_ = 0;
};

/// How long a block of one kind of work takes: the longest of the last calls, with older calls counting less. A single
/// slow call, for example of a preempted thread, does not count. Used for scheduling only: no result depends on it.
/// Several threads may use one object at the same time.
class BlockTime {
 public:
  using Duration = std::chrono::steady_clock::duration;

  [[nodiscard]] static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  /// The time that this number of blocks would take on one thread. Work that was never measured counts as long.
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

/// Blocks on several threads of this machine (oneTBB). The halves of the tree are tasks; the joins are those of Serial.
/// The threads are kept between calls, and copies share them: creating threads costs more than a small call. Work that
/// is too short for waking a thread (`worth_waking`) stays on the calling thread: work that was short in the last calls
/// starts there, and the rest is handed to the other threads if it takes longer. The measured times are kept with the
/// threads.
class Threads {
 public:
  static constexpr bool shares_memory = true;

  /// 0: as many as there are cores.
  explicit Threads(int count = 0) : team_(std::make_shared<Team>(count)) {}

  // A move copies, so that the source stays usable.
  Threads(Threads const&) = default;
  Threads& operator=(Threads const&) = default;
  ~Threads() = default;

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    if (blocks <= 1 || team_->size == 1) return reduce_tree(0, blocks, leaf);
    BlockTime& time = team_->template time_of<Leaf>();
    if (time.expected(blocks) < worth_waking) {
      auto const begin = BlockTime::now();
      auto result = alone(0, blocks, leaf, begin + worth_waking);
      time.add((BlockTime::now() - begin) / static_cast<BlockTime::Duration::rep>(blocks));
      return result;
    }
    return together(0, blocks, [&leaf, &time](std::size_t block) {
      if (block != 0) return leaf(block);
      auto const begin = BlockTime::now();
      auto result = leaf(block);
      time.add(BlockTime::now() - begin);
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
    [[nodiscard]] BlockTime& time_of() noexcept {
      return times[(reinterpret_cast<std::uintptr_t>(&kind<Leaf>) >> 2U) % times.size()];
    }
    template <class Leaf>
    static constexpr std::uint32_t kind = 0;  // its address identifies the type

    int count;  // as given
    int size;
    oneapi::tbb::task_arena arena;  // begins at its first use
    std::array<BlockTime, 61> times;
  };

  /// On the calling thread until the deadline, then on all.
  template <class Leaf>
  auto alone(std::size_t low, std::size_t high, Leaf const& leaf, std::chrono::steady_clock::time_point deadline) const
      -> decltype(leaf(low)) {
    if (high - low <= 1) return leaf(low);
    if (BlockTime::now() >= deadline) return together(low, high, leaf);
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
    ForkJoin order;
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
