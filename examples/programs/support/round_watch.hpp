#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace fltr::examples {

/// Ends the round of a training after a signal, and says when its first blocks of clients predict a long run. Outside of
/// rounds, in an evaluation for example, it ends nothing. Called from several threads.
class RoundWatch {
 public:
  /// While it exists, a signal ends the round.
  class Rounds {
   public:
    /// `left`: rounds that the training will run.
    Rounds(RoundWatch& watch, std::uint32_t left) : watch_(watch) { watch_.left_ = left, ++watch_.running_; }
    Rounds(Rounds const&) = delete;
    Rounds& operator=(Rounds const&) = delete;
    ~Rounds() { --watch_.running_; }
    /// Calls work(), which is between two rounds.
    template <class Work>
    auto pause(Work const& work) {
      --watch_.running_;
      struct Resume {
        RoundWatch& watch;
        ~Resume() { ++watch.running_, --watch.left_; }
      } const resume{watch_};
      return work();
    }

   private:
    RoundWatch& watch_;
  };

  /// A reduction over blocks of clients begins.
  void begin() noexcept {
    start_ = Clock::now().time_since_epoch().count();
    done_ = 0;
  }
  /// Whether the round must end before the next block.
  [[nodiscard]] bool stops(std::size_t blocks) noexcept;

  /// The minutes that the run will take if `done` of `blocks` blocks took `seconds`, and as many rounds are left; 0: not
  /// enough is known (less than two seconds), or less than ten minutes.
  [[nodiscard]] static double long_run_minutes(double seconds, std::size_t done, std::size_t blocks,
                                               double rounds) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<int> running_ = 0;
  std::atomic<std::uint32_t> left_ = 0;
  std::atomic<Clock::rep> start_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> said_ = false;
};

}  // namespace fltr::examples
