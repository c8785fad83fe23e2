#pragma once

#include <fltr/core/compiler.hpp>

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace fltr::detail {

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

}  // namespace fltr::detail
