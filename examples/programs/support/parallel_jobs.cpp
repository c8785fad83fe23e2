#include "parallel_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "interruption.hpp"

namespace fltr::examples {

void run_jobs(std::size_t count, std::size_t threads, std::function<void(std::size_t job)> const& work,
              std::function<void()> const& watch) {
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t next = 0;
  std::size_t working = std::min(count, std::max<std::size_t>(threads, 1));
  std::exception_ptr failure;

  auto const worker = [&] {
    std::unique_lock lock(mutex);
    while (next < count && !failure && !stop_requested()) {
      std::size_t const job = next++;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        work(job);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !failure) failure = thrown;
    }
    --working;
    ended.notify_one();
  };
  {
    std::vector<std::jthread> team;  // joined at the end of the block
    for (std::size_t i = working; i > 0; --i) team.emplace_back(worker);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; })) {
      lock.unlock();
      watch();
      lock.lock();
    }
  }
  watch();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fltr::examples
