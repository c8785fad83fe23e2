#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "interruption.hpp"

namespace fltr::examples {

/// Ends the round of a training after a signal, and says once when what is done predicts a run of more than ten minutes.
/// Outside of rounds, in an evaluation for example, it ends nothing. `stops` is called from several threads.
class RoundWatch {
 public:
  /// Seconds since any fixed time.
  using Now = std::function<double()>;
  /// Is told the minutes that a long run will take.
  using Say = std::function<void(double)>;

  /// Says it on stderr, once in a process.
  RoundWatch();
  RoundWatch(Now now, Say say) : now_(std::move(now)), say_(std::move(say)) {}

  /// While it exists, a signal ends the round.
  class Rounds {
   public:
    /// `count`: rounds that the training will run.
    Rounds(RoundWatch& watch, std::uint32_t count);
    Rounds(Rounds const&) = delete;
    Rounds& operator=(Rounds const&) = delete;
    ~Rounds() { --watch_.running_; }
    /// Calls work(), which is between two rounds. Its time is not that of rounds.
    template <class Work>
    auto pause(Work const& work) {
      Pause const pause(watch_);
      return work();
    }

   private:
    struct Pause {
      explicit Pause(RoundWatch& of);
      Pause(Pause const&) = delete;
      Pause& operator=(Pause const&) = delete;
      ~Pause();
      RoundWatch& watch;
      double begin;
    };
    RoundWatch& watch_;
  };

  /// A reduction over blocks of clients begins.
  void begin() noexcept;
  /// Whether the round must end before the next of `blocks` blocks. 0: before other work.
  [[nodiscard]] bool stops(std::size_t blocks) noexcept;
  /// Whether the round must end at once, in the middle of a block.
  [[nodiscard]] bool interrupted() const noexcept {
    return running_.load(std::memory_order_relaxed) != 0 && signal_arrived();
  }

  /// The minutes of `rounds` rounds, if `done` of them (with a fraction) took `seconds`; 0: not more than ten minutes, or not
  /// enough is known (less than two seconds).
  [[nodiscard]] static double long_run_minutes(double seconds, double done, double rounds) noexcept;

 private:
  static constexpr double first_question = 2.0;  // seconds; the next ones come after twice the time

  void predict(std::size_t started, std::size_t blocks, double now);

  Now now_;
  Say say_;
  std::atomic<int> running_ = 0;
  // Changed between reductions only.
  double count_ = 0;                               // rounds that will run
  double over_ = 0;                                // rounds that ran
  double start_ = 0;                               // of the first round, as if there had been no pause
  double round_ = 0;                               // start of this round
  double reduction_ = 0;                           // start of this reduction
  std::atomic<std::size_t> started_ = 0;           // blocks of this reduction
  std::atomic<double> question_ = first_question;  // seconds of rounds after which the run is predicted next
  std::atomic<bool> said_ = false;
};

}  // namespace fltr::examples
