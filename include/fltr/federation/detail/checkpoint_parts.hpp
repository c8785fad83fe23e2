#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/content_hash.hpp>
#include <fltr/core/error.hpp>
#include <fltr/formats/checkpoint_file.hpp>
#include <fltr/formats/checkpoint_folder.hpp>

// The parts of a checkpoint that the processes of an Execution save. Each process reads and writes its own part and tells
// the others what it found; from the same reports all of them draw the same conclusion.
namespace fltr::detail {

/// What the processes tell each other: `own` of each, in the order of ranks.
template <Execution E, class Report>
[[nodiscard]] std::vector<Report> reports_of_ranks(E const& execution, CheckpointFolder const& folder, Report own) {
  own.rank = folder.rank();
  std::vector<Report> reports;
  if constexpr (BlockKeepingExecution<E>) {
    if (folder.ranks() > 1)
      reports = execution
                    .reduce(folder.ranks(),
                            [&own](std::size_t) {
                              Collected<Report> one;
                              one.add(own);
                              return one;
                            })
                    .take();
  }
  if (folder.ranks() == 1) reports.push_back(std::move(own));
  std::uint32_t next = 0;
  bool const complete = reports.size() == folder.ranks() &&
                        std::ranges::all_of(reports, [&](Report const& report) { return report.rank == next++; });
  if (!complete)
    throw std::logic_error("Checkpointer: required an Execution of " + std::to_string(folder.ranks()) +
                           " processes, which runs block r of as many blocks on rank r of the CheckpointFolder");
  return reports;
}

/// " (rank 1)", if there are several ranks.
[[nodiscard]] inline std::string of_rank(std::uint32_t rank, CheckpointFolder const& folder) {
  return folder.ranks() > 1 ? " (rank " + std::to_string(rank) + ')' : std::string();
}

/// Whether a process's work on its files succeeded.
struct FileReport {
  std::uint32_t rank = 0;
  std::int32_t error = 0;  ///< of the operating system
  std::string text{};      ///< of the failure; empty: none
  auto fields(auto&& visit) { return visit(rank, error, text); }

  /// Records a failure. what() ends with the text of the error code, which `throw_failure` appends again.
  void failed(std::system_error const& failure) {
    error = failure.code().value();
    text = failure.what();
    if (std::string const ending = ": " + failure.code().message(); text.ends_with(ending))
      text.resize(text.size() - ending.size());
  }
};

/// Throws the failure of the first process that has one, as std::system_error.
inline void throw_failure(std::vector<FileReport> const& reports, CheckpointFolder const& folder) {
  for (FileReport const& each : reports)
    if (!each.text.empty())
      throw std::system_error(std::error_code(each.error, std::generic_category()),
                              each.text + of_rank(each.rank, folder));
}

/// Calls work() in all processes. If it throws std::system_error in one of them, all throw it.
template <Execution E, class Work>
void on_all_ranks(E const& execution, CheckpointFolder const& folder, Work const& work) {
  FileReport report;
  try {
    work();
  } catch (std::system_error const& error) {
    report.failed(error);
  }
  throw_failure(reports_of_ranks(execution, folder, std::move(report)), folder);
}

struct RoundsReport {
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> rounds{};
  std::uint32_t other_ranks = 0;
  std::uint32_t begun = 0;
  bool forgets = false;
  bool ended = false;
  auto fields(auto&& visit) { return visit(rank, rounds, other_ranks, begun, forgets, ended); }
};

[[nodiscard]] inline std::string processes(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " process" : " processes");
}

/// What is in the folders of all processes.
struct SavedRounds {
  std::vector<std::uint32_t> rounds{};  ///< of which any process has a part, the newest first
  std::uint32_t begun = 0;  ///< the last round of which messages may have left (CheckpointFolder::note_begun)
  bool forgets = false;     ///< whether messages of a replay may have left after the last checkpoint
  bool ended = true;        ///< whether no round after `begun` has begun
};

/// What the processes saved. Throws CheckpointMismatch if there is none, but there
/// are checkpoints of another number of processes, and std::system_error if the folder of a process cannot be read.
template <Execution E>
[[nodiscard]] SavedRounds saved_rounds(E const& execution, CheckpointFolder const& folder, std::string_view name) {
  RoundsReport own;
  on_all_ranks(execution, folder, [&] {
    own.rounds = folder.rounds(name);
    own.other_ranks = folder.other_ranks(name);
    auto const noted = folder.noted_begun(name);
    own.begun = noted.round;
    own.forgets = noted.forgets;
    own.ended = noted.ended;
  });
  auto const reports = reports_of_ranks(execution, folder, std::move(own));
  SavedRounds saved;
  auto& all = saved.rounds;
  for (RoundsReport const& report : reports) {
    all.insert(all.end(), report.rounds.begin(), report.rounds.end());
    saved.begun = std::max(saved.begun, report.begun);
    saved.forgets = saved.forgets || report.forgets;
    saved.ended = saved.ended && report.ended;
  }
  std::ranges::sort(all, std::greater<>());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.empty())
    for (RoundsReport const& report : reports)
      if (report.other_ranks > 0)
        throw CheckpointMismatch(
            folder.path().string() + ": required checkpoints of " + processes(folder.ranks()) +
            ", got checkpoints of " + processes(report.other_ranks) + "; go on with " +
            (report.other_ranks == 1 ? std::string("one process") : "mpirun -n " + std::to_string(report.other_ranks)));
  return saved;
}

struct PartReport {
  enum class Kind : std::uint8_t { sound, damaged, of_another_run, unreadable };

  std::uint32_t rank = 0;
  Kind kind = Kind::sound;
  std::string text{};  ///< why it is refused; of a sound part: its file
  ContentHash set{};
  FileReport file{};  ///< of an unreadable part
  auto fields(auto&& visit) { return visit(rank, kind, text, set.low, set.high, file); }
};

/// This process's part of the checkpoint after `round`; none, and a sentence in `refused`, if the part of any process is
/// damaged or missing. Throws CheckpointMismatch if it belongs to another run. Throws std::system_error if a part exists
/// but cannot be read (no permission), because it may be sound.
template <Execution E>
[[nodiscard]] std::optional<Checkpoint> read_set(E const& execution, CheckpointFolder const& folder,
                                                 std::string_view name, std::uint32_t round,
                                                 CheckpointIdentity const& identity,
                                                 std::vector<std::string>& refused) {
  using Kind = PartReport::Kind;
  Checkpoint own;
  PartReport report;
  try {
    own = folder.read(name, round, identity);
    report.set = own.header.set;
    report.text = folder.file(name, round, folder.rank()).string();
  } catch (FormatError const& error) {
    report.kind = Kind::damaged;
    report.text = error.what();
  } catch (std::system_error const& error) {
    // EIO: a defect of the disk, to which the earlier checkpoint is the answer.
    bool const lost = error.code() == std::errc::no_such_file_or_directory || error.code() == std::errc::io_error;
    report.kind = lost ? Kind::damaged : Kind::unreadable;
    report.text = error.what();
    report.file.failed(error);
    report.file.rank = folder.rank();
  } catch (CheckpointMismatch const& error) {
    report.kind = Kind::of_another_run;
    report.text = error.what();
  }
  auto const reports = reports_of_ranks(execution, folder, std::move(report));
  if (auto const found = std::ranges::find(reports, Kind::of_another_run, &PartReport::kind); found != reports.end())
    throw CheckpointMismatch(found->text + of_rank(found->rank, folder));
  if (auto const found = std::ranges::find(reports, Kind::unreadable, &PartReport::kind); found != reports.end())
    throw_failure({found->file}, folder);
  if (auto const found = std::ranges::find(reports, Kind::damaged, &PartReport::kind); found != reports.end()) {
    refused.push_back(found->text + of_rank(found->rank, folder));
    return std::nullopt;
  }
  for (PartReport const& each : reports) {
    if (each.set == reports.front().set) continue;
    refused.push_back(each.text + ": required parts of one save, got parts of two");
    return std::nullopt;
  }
  return own;
}

/// Writes this process's part. If one process cannot write its part, all throw std::system_error, and no part of the set
/// stays.
template <Execution E>
void write_set(E const& execution, CheckpointFolder const& folder, std::string_view name,
               CheckpointHeader const& header, std::span<std::byte const> state, std::span<std::byte const> log) {
  if (folder.ranks() == 1) return folder.write(name, header, state, log);
  try {
    on_all_ranks(execution, folder, [&] { folder.write(name, header, state, log); });
  } catch (std::system_error const&) {
    try {
      folder.remove(name, header.round);
    } catch (std::system_error const&) {  // a part alone is not used
    }
    throw;
  }
}

}  // namespace fltr::detail
