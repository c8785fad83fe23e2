#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/checkpoint_file.hpp>
#include <fltr/formats/detail/file_error.hpp>

namespace fltr {

/// A sound checkpoint that belongs to another run: another version of the library, other policies, options or data, or
/// another number of processes.
class CheckpointMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A folder with the last two checkpoints of each of several trainings, which have different names. The file
/// `fpdgd.0000000040.1-of-3.fltr` is the part of rank 1 of 3, saved after round 40 of the training `fpdgd`.
///
/// With several ranks, each rank writes and reads its own parts. The folder may be one that all ranks see, or one on a
/// disk of each machine. Which parts make a whole set is agreed by the ranks, see Checkpointer.
///
/// Rank 0 locks the file `lock` in the folder: a second run into the same folder is refused. The operating system
/// releases the lock when the process ends. On a file system without locks no second run is refused.
class CheckpointFolder {
 public:
  /// Creates the folder if it is missing. Rank 0 removes unfinished files of a killed run; the other ranks do so in
  /// `write`, because only rank 0 knows that no other run has locked the folder. Throws std::system_error if the folder
  /// cannot be created or locked, and std::runtime_error if another run has locked it.
  explicit CheckpointFolder(std::filesystem::path folder, std::uint32_t rank = 0, std::uint32_t ranks = 1)
      : folder_(std::move(folder)), rank_(rank), ranks_(ranks) {
    require(rank < ranks, "CheckpointFolder", "a rank below the number of ranks", rank);
    std::error_code error;
    std::vector<std::filesystem::path> made;
    for (auto at = std::filesystem::absolute(folder_, error); !at.empty() && !std::filesystem::exists(at, error);
         at = at.parent_path())
      made.push_back(at);
    std::filesystem::create_directories(folder_, error);
    if (error) detail::throw_cannot_write(folder_, error);
    for (auto const& one : made) detail::sync_folder(one.parent_path());
    if (rank > 0) return;
    lock();
    remove_unfinished([](FileName const&) { return true; });
  }
  CheckpointFolder(CheckpointFolder const&) = delete;
  CheckpointFolder& operator=(CheckpointFolder const&) = delete;
  ~CheckpointFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] std::filesystem::path const& path() const& noexcept { return folder_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }

  /// Whether the folder has a checkpoint of any training. Throws std::system_error if the folder cannot be read.
  [[nodiscard]] bool holds_checkpoints() const {
    bool any = false;
    for_each_part([&](FileName const&, auto const&) { any = true; });
    return any;
  }
  /// Removes all checkpoints of this rank. Rank 0 also removes those of ranks that this run does not have. Throws
  /// std::system_error if the folder cannot be read, or a checkpoint cannot be removed.
  void clear() const {
    std::vector<std::filesystem::path> own;
    for_each_part([&](FileName const& part, std::filesystem::path const& path) {
      std::error_code error;
      bool const file = !std::filesystem::is_directory(path, error);  // a folder of this name is no checkpoint
      if (file && (part.rank == rank_ || (rank_ == 0 && part.rank >= ranks_))) own.push_back(path);
    });
    for (auto const& path : own) remove_file(path);
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator(folder_, error))
      if (std::string const name = entry.path().filename().string();
          name.ends_with(ending(rank_)) && name.find(".begun.") != std::string::npos)
        remove_file(entry.path());
  }

  /// The file of a part.
  [[nodiscard]] std::filesystem::path file(std::string_view name, std::uint32_t round, std::uint32_t rank) const {
    std::string digits = std::to_string(round);
    digits.insert(0, 10 - digits.size(), '0');
    return folder_ / (std::string(name) + '.' + digits + ending(rank));
  }

  /// Writes this rank's part of the checkpoint after header.round. Throws std::system_error if it cannot be written.
  void write(std::string_view name, CheckpointHeader header, std::span<std::byte const> state,
             std::span<std::byte const> log) const {
    require(is_name(name), "CheckpointFolder::write", "a name of letters, digits, '-' and '_'", name);
    header.rank = rank_;
    header.ranks = ranks_;
    if (rank_ > 0)
      remove_unfinished(
          [&](FileName const& part) { return part.name == name && part.rank == rank_ && part.ranks == ranks_; });
    write_checkpoint(file(name, header.round, rank_), header, state, log);
  }

  /// Writes down that messages of rounds up to this one may leave the clients, and whether those of a replay may. `ended`: no
  /// other round begins after the last checkpoint. The note survives the process, not a power failure. Throws
  /// std::system_error if it cannot be written.
  void note_begun(std::string_view name, std::uint32_t round, bool forgets = false, bool ended = false) const {
    auto const path = begun_file(name);
    std::array<std::uint32_t, 2> const note{round, ~round ^ ((forgets ? 1U : 0U) | (ended ? 2U : 0U))};
    int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) detail::throw_cannot_write(path, detail::error_code_of(errno));
    auto const written = ::pwrite(file, note.data(), sizeof note, 0);
    int const error = written < 0 ? errno : ENOSPC;
    ::close(file);
    if (written != static_cast<::ssize_t>(sizeof note)) detail::throw_cannot_write(path, detail::error_code_of(error));
  }
  /// What the last `note_begun` wrote.
  struct Begun {
    std::uint32_t round = 0;
    bool forgets = false;
    bool ended = false;
  };
  /// The last `note_begun`; round 0: none, or a damaged note.
  [[nodiscard]] Begun noted_begun(std::string_view name) const {
    std::array<std::uint32_t, 2> note{};
    int const file = ::open(begun_file(name).c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    auto const got = ::pread(file, note.data(), sizeof note, 0);
    ::close(file);
    std::uint32_t const flag = note[1] ^ ~note[0];
    if (got != static_cast<::ssize_t>(sizeof note) || flag > 3) return {};
    return {note[0], (flag & 1U) != 0, (flag & 2U) != 0};
  }

  /// The rounds of which this rank has a part, the newest first. Throws std::system_error if the folder cannot be read.
  [[nodiscard]] std::vector<std::uint32_t> rounds(std::string_view name) const {
    std::vector<std::uint32_t> rounds;
    for_each_part([&](FileName const& part, auto const&) {
      if (part.name == name && part.rank == rank_ && part.ranks == ranks_) rounds.push_back(part.round);
    });
    std::ranges::sort(rounds, std::greater<>());
    return rounds;
  }
  /// Another number of ranks of which the folder has a checkpoint of this training; 0: none. Throws std::system_error if
  /// the folder cannot be read.
  [[nodiscard]] std::uint32_t other_ranks(std::string_view name) const {
    std::uint32_t other = 0;
    for_each_part([&](FileName const& part, auto const&) {
      if (part.name == name && part.ranks != ranks_) other = part.ranks;
    });
    return other;
  }

  /// Reads this rank's part. Throws std::system_error if it cannot be read, FormatError if it is damaged, and
  /// CheckpointMismatch if it belongs to another run.
  [[nodiscard]] Checkpoint read(std::string_view name, std::uint32_t round, CheckpointIdentity const& identity) const {
    auto const path = file(name, round, rank_);
    auto const refuse = [&](std::string const& why) { throw FormatError(path.string() + ": " + why); };
    Checkpoint part;
    try {
      part = read_checkpoint(path);
    } catch (FormatError const& error) {
      refuse(error.what());
    }
    CheckpointHeader const& header = part.header;
    if (header.round != round || header.rank != rank_ || header.ranks != ranks_)
      refuse("the name and the content of the file do not agree");
    require_same_run(path, header, identity);
    return part;
  }

  /// Removes this rank's part, if it exists. Throws std::system_error if it cannot be removed.
  void remove(std::string_view name, std::uint32_t round) const { remove_file(file(name, round, rank_)); }

 private:
  struct FileName {
    std::string name;
    std::uint32_t round = 0;
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;
  };
  [[nodiscard]] std::string ending(std::uint32_t rank) const {
    return '.' + std::to_string(rank) + "-of-" + std::to_string(ranks_) + ".fltr";
  }

  [[nodiscard]] std::filesystem::path begun_file(std::string_view name) const {
    return folder_ / (std::string(name) + ".begun" + ending(rank_));
  }

  [[nodiscard]] static bool is_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  }

  /// Takes a number and the text behind it off the front of a file name.
  [[nodiscard]] static bool take_number(std::string_view& rest, std::uint32_t& number, std::string_view behind) {
    auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.starts_with(behind)) return false;
    rest.remove_prefix(behind.size());
    return true;
  }
  [[nodiscard]] static std::optional<FileName> parsed(std::string_view text) {
    FileName file;
    std::size_t const dot = text.find('.');
    if (dot == std::string_view::npos || !is_name(text.substr(0, dot))) return std::nullopt;
    file.name = text.substr(0, dot);
    text.remove_prefix(dot + 1);
    bool const good = take_number(text, file.round, ".") && take_number(text, file.rank, "-of-") &&
                      take_number(text, file.ranks, ".fltr") && text.empty() && file.rank < file.ranks;
    return good ? std::optional(std::move(file)) : std::nullopt;
  }

  /// Calls visit(name, path) for each file that has the name of a part.
  template <class Visit>
  void for_each_part(Visit const& visit) const {
    std::error_code error;
    std::filesystem::directory_iterator at(folder_, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
      if (auto const part = parsed(at->path().filename().string())) visit(*part, at->path());
    if (error) detail::throw_cannot_read(folder_, error);
  }
  static void remove_file(std::filesystem::path const& path) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) throw std::system_error(error, "cannot remove " + path.string());
  }

  /// Removes the temporary files of parts that were not finished.
  template <class Which>
  void remove_unfinished(Which const& which) const {
    std::error_code error;
    for (auto const& entry : std::filesystem::directory_iterator(folder_, error)) {
      std::string const file = entry.path().filename().string();
      constexpr std::string_view type = ".fltr";
      auto const end = file.find(std::string(type) + '.');
      if (end == std::string::npos || !file.ends_with(".partial")) continue;
      auto const part = parsed(std::string_view(file).substr(0, end + type.size()));
      std::error_code ignored;
      if (part && which(*part)) std::filesystem::remove(entry.path(), ignored);
    }
  }

  static void require_same_run(std::filesystem::path const& path, CheckpointHeader const& header,
                               CheckpointIdentity const& identity) {
    auto const other = [&](std::string const& what) {
      throw CheckpointMismatch(path.string() + ": required a checkpoint of " + what);
    };
    if (header.library != version)
      other("version " + std::string(version) + " of the library, got version " + header.library);
    if (header.identity.data != identity.data) other("the same data, got one of other data");
    if (header.identity.options != identity.options) other("the same options, got one of other options");
    if (header.identity.policies != identity.policies) other("the same policies, got one of other policies");
  }

  void lock() {
    auto const path = folder_ / "lock";
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);  // NFS locks only what is open for writing
    if (descriptor_ < 0) detail::throw_cannot_write(path, detail::error_code_of(errno));
    int error = 0;
    do error = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    while (error == EINTR);
    if (error == 0 || error == ENOLCK || error == EOPNOTSUPP) return;  // the last two: a file system without locks
    ::close(std::exchange(descriptor_, -1));
    if (error != EWOULDBLOCK) throw std::system_error(detail::error_code_of(error), "cannot lock " + path.string());
    throw std::runtime_error("another run writes checkpoints into " + folder_.string() +
                             "; wait for it, or give another folder");
  }

  std::filesystem::path folder_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  int descriptor_ = -1;  // of the file `lock`
};

}  // namespace fltr
