#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// Calls `task(i)` once for every i below `count`, on up to `threads` threads (0 = one per core), including the calling
/// thread. Tasks start in ascending order of i. After a task throws, no further task starts, and the exception of the
/// lowest index is rethrown. For reading files; training uses an Execution.
template <class Task>
void parallel_tasks(std::size_t count, std::size_t threads, Task const& task) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  std::mutex guard;
  std::exception_ptr failure;
  std::size_t failed_at = std::numeric_limits<std::size_t>::max();
  auto const work = [&]() noexcept {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      try {
        task(i);
      } catch (...) {
        next.store(count, std::memory_order_relaxed);
        std::scoped_lock const lock(guard);
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(std::min(threads, count));
    try {
      for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(work);
    } catch (std::system_error const&) {
      // The system has no more threads. The existing threads do the work.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fltr
