#include "round_watch.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "interruption.hpp"
#include "ranks.hpp"

namespace fltr::examples {

double RoundWatch::long_run_minutes(double seconds, std::size_t done, std::size_t blocks, double rounds) noexcept {
  if (seconds < 2.0 || done == 0) return 0.0;
  double const minutes = seconds / 60.0 * static_cast<double>(blocks) / static_cast<double>(done) * rounds;
  return minutes > 10.0 ? minutes : 0.0;
}

bool RoundWatch::stops(std::size_t blocks) noexcept {
  if (running_.load(std::memory_order_relaxed) == 0) return false;
  std::size_t const done = done_.fetch_add(1, std::memory_order_relaxed);
  if (done % 256 == 255 && !said_.load(std::memory_order_relaxed)) {
    Clock::duration const took(Clock::now().time_since_epoch().count() - start_.load());
    double const minutes =
        long_run_minutes(std::chrono::duration<double>(took).count(), done, blocks, static_cast<double>(left_.load()));
    if (minutes > 0.0 && !said_.exchange(true) && is_first_rank())
      fmt::print(stderr, "the first clients predict that this run takes about {:.0f} minutes; Ctrl-C ends it\n",
                 minutes);
  }
  return signal_arrived();
}

}  // namespace fltr::examples
