#pragma once

#include <cstddef>
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

/// Tells the thread sanitizer, where it is in use, what it cannot see in a oneTBB that was compiled without it: that
/// tasks begin after they were made, and that whoever waits for them goes on after they ended.
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

/// Blocks on several threads of this machine (oneTBB). The halves of the tree are tasks; the joins are those of Serial.
/// The threads are kept between calls, and copies share them: making them anew costs more than a small call does.
class Threads {
 public:
  /// 0: as many as there are cores.
  explicit Threads(int count = 0) : team_(std::make_shared<Team>(count)) {}

  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    // More threads than cores, as tests of reproducibility want them, have to be allowed as long as they work.
    std::optional<oneapi::tbb::global_control> more;
    if (team_->count > oneapi::tbb::info::default_concurrency())
      more.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(team_->count));
    return team_->arena.execute([&] { return node(0, blocks, leaf); });
  }

 private:
  struct Team {
    explicit Team(int threads)
        : count(checked(threads)), arena(count == 0 ? oneapi::tbb::task_arena::automatic : count) {}

    static int checked(int threads) {
      require(threads >= 0, "Threads", "a count >= 0", threads);
      return threads;
    }
    int count;
    oneapi::tbb::task_arena arena;  // begins at its first use
  };

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
    left->merge(std::move(*right));
    return std::move(*left);
  }

  std::shared_ptr<Team> team_;
};
static_assert(Execution<Threads>);

}  // namespace fltr
