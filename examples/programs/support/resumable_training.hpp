#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/federation/checkpoint.hpp>

#include "checkpoints.hpp"
#include "round_watch.hpp"
#include "run.hpp"
#include "usage_error.hpp"

namespace fltr::examples {

/// Calls work(rounds), with `count` rounds of the training that has this watch. A signal leaves the present round undone.
/// Returns false if it ended the work.
template <class Work>
[[nodiscard]] bool until_signal(Run& run, RoundWatch& watch, std::uint32_t count, Work const& work) {
  RoundWatch::Rounds rounds(watch, count);
  try {
    work(rounds);
    return true;
  } catch (Interrupted const&) {
    if (!run.stops()) throw;
    return false;
  }
}

/// A training of a run that is saved as --checkpoint asks. With --resume it goes on from its newest checkpoint; a
/// training that an earlier process finished runs no round. The rest of the program does not notice: it must make its
/// trainings in the same order, and keep what it collects during the rounds in a log that is saved with the training.
///
///     Run::Points points;
///     ResumableTraining saved(run, training);
///     if (!saved.resume(points)) points.emplace_back(0, measure(training.ranker()));
///     saved.run(options.rounds, points, [&](auto const& round) { points.emplace_back(round.number, …); });
///
/// A T that is not a SavedTraining runs without --checkpoint; with --checkpoint it is an error.
template <class T>
class ResumableTraining {
 public:
  ResumableTraining(Run& run, T& training) : run_(run), training_(training) {
    Checkpoints& checkpoints = run.checkpoints();
    if (!checkpoints.on()) return;
    if constexpr (SavedTraining<T>) {
      auto const options = checkpoints.next(run.number());
      checkpointer_.emplace(checkpoints.folder(), checkpoint_identity(training, options), options);
    } else {
      throw UsageError("--checkpoint: this training cannot be saved");
    }
  }

  /// Whether the training is saved.
  [[nodiscard]] bool on() const noexcept { return checkpointer_.has_value(); }

  /// With --resume: restores the training and the log. Returns false, and changes nothing, if there is no checkpoint.
  template <Field Log>
  [[nodiscard]] bool resume(Log& log) {
    if (!on() || !run_.checkpoints().resumes()) return false;
    if constexpr (!SavedTraining<T>)
      return false;
    else
      return restore(log);
  }

  /// Saves the training, which a caller without rounds has completed.
  template <Field Log>
  void save(Log const& log) {
    save(log, true);
  }

  /// Runs the training up to round `rounds`, or until observe(round) returns false, and saves it.
  template <Field Log, class Observe>
  void run(std::uint32_t rounds, Log const& log, Observe const& observe) {
    if constexpr (!SavedTraining<T>) {
      run_rounds(rounds, observe);
    } else {
      if (resumed_ && training_.number() > rounds)
        throw UsageError("--resume: required --rounds of at least " + std::to_string(training_.number()) +
                         ", the round of the checkpoint of run " + std::to_string(run_.number()) + ", got " +
                         std::to_string(rounds));
      if (training_.number() < rounds) {
        if (resumed_)
          run_.checkpoints().say("run " + std::to_string(run_.number()) + " goes on after round " +
                                 std::to_string(training_.number()) + " of " + std::to_string(rounds));
        note(false);
        run_rounds(rounds - training_.number(), [&](auto const& round) {
          bool const more = fltr::observe(observe, round);
          note(!more || training_.number() == rounds);
          save(log, !more);
          return more;
        });
      }
      note(true);
      save(log, true);
    }
  }

 private:
  template <Field Log>
  [[nodiscard]] bool restore(Log& log) {
    std::optional<std::vector<std::byte>> bytes;
    try {
      bytes = checkpointer_->restore(training_);
    } catch (CheckpointMismatch const& other) {
      throw UsageError(std::string("--resume: ") + other.what());
    }
    // A kill leaves one checkpoint that is not whole. If several cannot be used, for example because a disk is missing,
    // starting again would remove what may still be good.
    if (!bytes && checkpointer_->refused().size() > 1 && !run_.checkpoints().replaces())
      throw UsageError("--resume: no checkpoint of run " + std::to_string(run_.number()) + " can be used: " +
                       checkpointer_->refused().front() + "; give --force too to start this training again");
    for (std::string const& refused : checkpointer_->refused())
      run_.checkpoints().say("warning: " + refused +
                             (bytes ? "; the checkpoint of round " + std::to_string(training_.number()) + " is used"
                                    : "; this training starts with its first round"));
    if (!bytes) return false;
    FieldReader reader{std::span<std::byte const>(*bytes)};
    reader.read(log);
    reader.expect_end();
    resumed_ = true;
    return true;
  }

  /// Runs rounds. A signal leaves the present round undone.
  template <class Observe>
  void run_rounds(std::uint32_t count, Observe const& observe) {
    if constexpr (requires { training_.policies().execution.watch(); }) {
      static_cast<void>(
          until_signal(run_, training_.policies().execution.watch(), count, [&](RoundWatch::Rounds& rounds) {
            training_.run(
                count, [&](auto const& round) { return rounds.pause([&] { return fltr::observe(observe, round); }); });
          }));
    } else {
      training_.run(count, observe);
    }
  }

  /// Writes down that the run ends, or that a further round may begin.
  void note(bool ends) {
    if (!on()) return;
    try {
      if (ends)
        checkpointer_->note_ended(training_);
      else
        checkpointer_->note_begun(training_);
    } catch (std::system_error const& error) {
      run_.checkpoints().failed(error.what(), checkpointer_->saved_round());
    }
  }

  template <Field Log>
  void save(Log const& log, bool always) {
    if (!on() || training_.number() == checkpointer_->saved_round()) return;
    if (!always && !checkpointer_->due(training_)) return;
    try {
      checkpointer_->save(training_, field_bytes(log));
      run_.checkpoints().written();
    } catch (std::system_error const& error) {
      run_.checkpoints().failed(error.what(), checkpointer_->saved_round());
    }
  }

  Run& run_;
  T& training_;
  std::optional<Checkpointer> checkpointer_;
  bool resumed_ = false;
};

}  // namespace fltr::examples
