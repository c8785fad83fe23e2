#pragma once

#include <cstddef>
#include <functional>

namespace fltr::examples {

/// Calls work(i) for i = 0, 1, …, count − 1, on this many threads. Jobs begin in this order. After a signal (see
/// `stop_requested`) and after an exception no further job begins. The first exception is thrown again after all threads
/// have ended. Meanwhile `watch` is called about ten times per second on the calling thread, and once at the end.
void run_jobs(std::size_t count, std::size_t threads, std::function<void(std::size_t job)> const& work,
              std::function<void()> const& watch);

}  // namespace fltr::examples
