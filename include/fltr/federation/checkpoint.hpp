#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/federation/detail/checkpoint_parts.hpp>
#include <fltr/federation/detail/require_saved.hpp>
#include <fltr/federation/saved_training.hpp>
#include <fltr/federation/training.hpp>
#include <fltr/formats/checkpoint_folder.hpp>
#include <fltr/formats/checkpoint_options.hpp>

namespace fltr {

/// What a training computes with, as hashes: type and parameters of the policies, RunOptions and setting, the clients and
/// their data. The Execution does not count, because results do not depend on it. A policy or population of which
/// Fingerprint cannot see all parts does not compile.
template <class Policies, Population Clients>
[[nodiscard]] CheckpointIdentity checkpoint_identity(Training<Policies, Clients> const& training,
                                                     CheckpointOptions const& options = {}) {
  static_assert(detail::require_saved<Training<Policies, Clients>>());
  Policies const& p = training.policies();
  Fingerprint policies;
  policies.add(p.ranker).add(p.click_model).add(p.learner).add(p.aggregator).add(p.privatizer);
  policies.add(p.attack).add(p.unlearner);
  Fingerprint run;
  run.add(training.options()).add(options.setting);
  Fingerprint data;
  data.add(options.data.low).add(options.data.high).add(training.clients());
  auto const& clients = training.clients();
  std::vector<std::uint64_t> list;  // of at most 65,536 clients
  for (std::size_t i = 0; i < clients.size(); ++i) {
    auto const& client = clients[i];
    list.push_back(client.id);
    list.push_back(client.interactions);
    if ((i + 1) % 65536 != 0 || i + 1 == clients.size()) continue;
    data.add(list);
    list.clear();
    interruption_point(p.execution);
  }
  data.add(list);
  return {policies.value(), run.value(), data.value()};
}

namespace composition {

/// Finds `restore` of a type of the user's own as well; inside Checkpointer its own member hides it.
template <class T>
void restore_training(T& training, std::span<std::byte const> bytes) {
  restore(training, bytes);
}

}  // namespace composition

/// What a Checkpointer saves: a Training, or several of them that advance together. Required are `number()`, `ranker()`
/// and `policies()` as of a Training, fields, and a function `restore(t, bytes)`; if `T::accounted` is true, also
/// `last_begun()`, `expect_released(round, ended)` and `expect_lost_replay()`.
template <class T>
concept SavedTraining = HasFields<T> && requires(T const& t) {
  { t.number() } -> std::convertible_to<std::uint32_t>;
  t.ranker();
  t.policies().execution;
};

/// Saves a training in a CheckpointFolder and restores it from there.
///
///     fltr::CheckpointFolder const folder("checkpoints");
///     fltr::Checkpointer checkpoints(folder, training, {.every_rounds = 5});
///     checkpoints.restore(training);  // continues an interrupted run; does nothing if there is no checkpoint
///     checkpoints.note_begun(training);
///     training.run(100 - training.number(), [&](auto const&) { checkpoints.save_if_due(training); });
///     checkpoints.note_ended(training);
///
/// The notes belong to the privacy account: a killed process leaves no other trace of the rounds after its last checkpoint.
/// A restored training reports the price of the rounds that may have begun until it has run them again. Without `note_ended`
/// it reports one round more than a run that ended had.
///
/// With an Execution of several processes (MpiRanks) each process saves its part, with the states of its own clients, in
/// a CheckpointFolder that is made with its rank and the number of ranks. All processes make the same calls. They agree,
/// by reductions of the Execution, on which sets of parts are whole: all of them restore the same set, and keep or lose
/// the same set.
class Checkpointer {
 public:
  /// `training` is the training to save, or one like it: it determines the identity. The folder must outlive this
  /// object.
  template <class Policies, Population Clients>
  Checkpointer(CheckpointFolder const& folder, Training<Policies, Clients> const& training, CheckpointOptions options)
      : Checkpointer(folder, checkpoint_identity(training, options), options) {}
  Checkpointer(CheckpointFolder const& folder, CheckpointIdentity const& identity, CheckpointOptions options)
      : folder_(&folder), options_(std::move(options)), identity_(identity) {
    require(options_.every_seconds >= 0, "Checkpointer", "every_seconds >= 0", options_.every_seconds);
  }

  /// Replaces the state of the training by the newest checkpoint whose parts are all sound, and returns the log of this
  /// process; none, and no change but of the privacy account (see `note_begun`), if there is no such checkpoint. `refused` says which checkpoints are damaged. Throws
  /// CheckpointMismatch for a checkpoint of another run, or of another number of processes, and std::system_error, with
  /// several processes in all of them, if a checkpoint or the folder cannot be read (no permission).
  ///
  /// A restored training that has forgotten clients keeps this checkpoint only: earlier ones may have the states of these
  /// clients. Throws std::system_error if one cannot be removed; the training is then restored.
  template <class T>
  std::optional<std::vector<std::byte>> restore(T& training) {
    require_saved<T>();
    refused_.clear();
    auto const& execution = training.policies().execution;
    auto const saved = detail::saved_rounds(execution, *folder_, options_.name);
    for (std::uint32_t const round : saved.rounds) {
      auto found = detail::read_set(execution, *folder_, options_.name, round, identity_, refused_);
      if (!found) continue;
      composition::restore_training(training, found->state);
      expect(saved, training);
      whole_ = {round};
      last_ = Clock::now();
      if (forgotten(training) > 0) remove_all_but_last(execution);
      forgotten_ = forgotten(training);
      return std::move(found->log);
    }
    expect(saved, training);
    return std::nullopt;
  }
  /// A sentence for each damaged checkpoint that the last `restore` passed over.
  [[nodiscard]] std::vector<std::string> const& refused() const& noexcept { return refused_; }

  /// Whether the rules ask for a checkpoint after the last round of the training, or it has forgotten clients since the
  /// last checkpoint. With an Execution of several processes, all processes get the same answer.
  template <class T>
  [[nodiscard]] bool due(T const& training) const {
    require_saved<T>();
    std::uint32_t const round = training.number();
    bool const forgot = forgotten(training) != forgotten_;
    if (options_.every_rounds > 0 && round % options_.every_rounds == 0) return forgot || round != saved_round();
    if (options_.every_seconds <= 0) return forgot;
    bool const late = std::chrono::duration<double>(Clock::now() - last_).count() >= options_.every_seconds;
    using Execution = std::remove_cvref_t<decltype(training.policies().execution)>;
    if constexpr (BlockKeepingExecution<Execution>) {
      auto answer = training.policies().execution.reduce(1, [late](std::size_t) {  // of one process, for all
        Collected<std::uint8_t> out;
        out.add(late ? 1 : 0);
        return out;
      });
      return forgot || (std::move(answer).take().front() != 0 && round != saved_round());
    } else {
      return forgot || (late && round != saved_round());
    }
  }

  /// Saves the training, with bytes of the program's own. Throws std::system_error if the file cannot be written, with
  /// several processes in all of them: the parts that were written are removed. Checkpoints of earlier rounds stay.
  ///
  /// The first checkpoint after `Training::forget` removes all earlier ones, which have the states of the forgotten
  /// clients. Throws std::system_error if one cannot be removed; the new checkpoint stays, and `due` stays true until a
  /// later `save` removes the earlier ones.
  template <class T>
  void save(T const& training, std::span<std::byte const> log = {}) {
    require_saved<T>();
    write_note(training);
    last_ = Clock::now();  // also after a failure: a full disk is tried again after the same time
    std::uint32_t const round = training.number();
    CheckpointHeader header{.identity = identity_, .round = round};
    // A run is deterministic: the same round of the same run is the same state in all processes. So the processes need
    // not agree on the name of a set. Each process may have the data of its own clients only.
    header.set = Fingerprint().add(identity_.policies).add(identity_.options).add(round).add(training.ranker()).value();
    std::uint32_t const before = saved_round();
    std::erase_if(whole_, [round](std::uint32_t other) { return other >= round; });
    try {
      detail::write_set(training.policies().execution, *folder_, options_.name, header, field_bytes(training), log);
    } catch (std::system_error const&) {
      // A process alone still has its checkpoint of the same round, from before a `forget`.
      if (folder_->ranks() == 1 && before == round) whole_.insert(whole_.begin(), round);
      throw;
    }
    whole_.insert(whole_.begin(), round);
    if (std::exchange(forgets_, false)) write_note(training);  // the account of the checkpoint has the replay
    if (forgotten(training) == forgotten_) return remove_old_parts(2, [](std::system_error const&) {});
    remove_all_but_last(training.policies().execution);
    forgotten_ = forgotten(training);
  }

  /// Writes down that the next round may begin (Training::expect_released), if the privacy budget allows it. Call it before
  /// the first round, and before a round after `note_ended`. `save` and `save_if_due` write the same note. Throws
  /// std::system_error if the note cannot be written. A training without a privacy account needs no note.
  template <class T>
  void note_begun(T const& training) {
    ended_.reset();
    write_note(training);
  }
  /// Writes down that no further round begins: the run ends. It stays so until `note_begun` or a later round. Throws like
  /// `note_begun`.
  template <class T>
  void note_ended(T const& training) {
    ended_ = training.number();
    write_note(training);
  }
  /// Writes down that `Training::forget` may begin; the next `save` takes it back. If the process is killed in between,
  /// `restore` makes the accounted ε infinite: what the replay released is not known. Throws like `note_begun`.
  template <class T>
  void note_forget(T const& training) {
    forgets_ = true;
    note_begun(training);
  }

  /// Saves the training if `due`; otherwise it calls `note_begun`. Call it after every round. Returns whether the training
  /// was saved.
  template <class T>
  bool save_if_due(T const& training, std::span<std::byte const> log = {}) {
    require_saved<T>();
    if (!due(training)) {
      write_note(training);
      return false;
    }
    save(training, log);
    return true;
  }

  /// The last round that was saved or restored; 0: none.
  [[nodiscard]] std::uint32_t saved_round() const noexcept { return whole_.empty() ? 0 : whole_.front(); }

 private:
  using Clock = std::chrono::steady_clock;

  template <class T>
  static consteval void require_saved() {
    static_assert(detail::require_saved<T>());
    static_assert(SavedTraining<T>,
                  "fltr: a Checkpointer saves a Training, or a type with fields, number(), ranker(), policies() and a "
                  "function restore(t, bytes)");
  }

  template <class T>
  static constexpr bool accounted = requires { requires T::accounted; };

  template <class T>
  void write_note(T const& training) const {
    require_saved<T>();
    if constexpr (accounted<T>) {
      bool ended = ended_ == training.number();
      if constexpr (requires { training.exhausted(); }) {
        try {
          ended = ended || training.exhausted();
        } catch (Interrupted const&) {  // the caller saves after a stop
        }
      }
      std::uint32_t const next = training.number() + (ended ? 0 : 1);
      folder_->note_begun(options_.name, std::max(next, training.last_begun()), forgets_, ended);
    }
  }

  /// Tells a training what an earlier process may have released after its last checkpoint.
  template <class T>
  void expect(detail::SavedRounds const& saved, T& training) {
    if constexpr (accounted<T>) {
      training.expect_released(saved.begun, saved.ended);
      forgets_ = saved.forgets;  // until the account with it is saved
      if (forgets_) training.expect_lost_replay();
    }
  }

  /// The number of clients that the training has forgotten.
  template <class T>
  [[nodiscard]] static std::size_t forgotten(T const& training) {
    if constexpr (requires { training.forgotten_clients().size(); })
      return training.forgotten_clients().size();
    else
      return 0;
  }

  /// Removes all parts but those of the last set. Throws std::system_error if one cannot be removed.
  template <class Execution>
  void remove_all_but_last(Execution const& execution) {
    detail::on_all_ranks(execution, *folder_, [&] {
      std::optional<std::system_error> failure;
      remove_old_parts(1, [&](std::system_error const& error) { failure = error; });
      if (failure) throw *failure;
    });
  }

  /// Removes this process's parts of later rounds, which belong to an earlier attempt, and all but the last `keep` whole
  /// sets. Calls failed(error) for each part that cannot be removed.
  template <class Failed>
  void remove_old_parts(std::size_t keep, Failed const& failed) {
    std::size_t newer = 0;
    std::vector<std::uint32_t> rounds;
    try {
      rounds = folder_->rounds(options_.name);  // the newest first
    } catch (std::system_error const& error) {
      failed(error);
    }
    for (std::uint32_t const round : rounds) {
      bool const superseded = round > saved_round() || newer >= keep;
      try {
        if (superseded) folder_->remove(options_.name, round);
      } catch (std::system_error const& error) {
        failed(error);
      }
      bool const whole = folder_->ranks() == 1 || std::ranges::find(whole_, round) != whole_.end();
      if (!superseded && whole) ++newer;
    }
    if (whole_.size() > keep) whole_.resize(keep);
  }

  CheckpointFolder const* folder_;
  CheckpointOptions options_;
  CheckpointIdentity identity_;
  std::vector<std::string> refused_;
  std::vector<std::uint32_t> whole_;    // rounds of sets that are known to be whole, the newest first
  std::size_t forgotten_ = 0;           // clients, in the last checkpoint
  std::optional<std::uint32_t> ended_;  // the round after which the run ends
  bool forgets_ = false;                // a call of `forget` may have begun after the last checkpoint
  Clock::time_point last_ = Clock::now();
};

}  // namespace fltr
