#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/training.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/mapped_file.hpp>
#include <fltr/unlearners/client_history.hpp>
#include <fltr/unlearners/history_file.hpp>

namespace fltr {

namespace detail {

inline constexpr EnvelopeFormat rank_history_format{"history file", "histories of a rank", 1};

/// The content of a rank's history file.
struct RankHistories {
  std::uint64_t run = 0;  ///< the seed of the training
  std::vector<std::pair<ClientId, ClientHistory>> clients;
  auto fields(auto&& visit) { return visit(run, clients); }
};

/// Whether the state of each client is in this process. If an Execution spreads client states over processes, all
/// processes must call it.
template <class Policies, Population Clients>
[[nodiscard]] std::vector<std::uint8_t> states_here(Training<Policies, Clients> const& training) {
  std::size_t const clients = training.client_states().size();
  std::vector<std::uint8_t> here(clients, 1);
  if constexpr (BlockKeepingExecution<typename Policies::Execution>) {
    here.assign(clients, 0);
    static_cast<void>(training.policies().execution.reduce(Roster::block_count(clients), [&](std::size_t block) {
      for (std::size_t i = block * Roster::block_size; i < std::min(clients, (block + 1) * Roster::block_size); ++i)
        here[i] = 1;
      return Collected<std::uint8_t>{};
    }));
  }
  return here;
}

/// Removes the history files of these clients (ids, rising) from a folder, also the unfinished ones of a killed run,
/// which AtomicFile names client-7.history.<process>.<number>.partial.
inline void remove_histories(std::filesystem::path const& folder, std::vector<ClientId> const& clients) {
  if (clients.empty()) return;
  std::vector<std::filesystem::path> found;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    std::string const name = entry.path().filename().string();
    constexpr std::string_view before = "client-";
    if (!name.starts_with(before)) continue;
    ClientId id = 0;
    char const* const end = name.data() + name.size();
    auto const [rest, error] = std::from_chars(name.data() + before.size(), end, id);
    std::string_view const behind(rest, static_cast<std::size_t>(end - rest));
    bool const history = behind == ".history" || (behind.starts_with(".history.") && behind.ends_with(".partial"));
    if (error == std::errc() && history && std::ranges::binary_search(clients, id)) found.push_back(entry.path());
  }
  for (auto const& path : found) std::filesystem::remove(path);  // another process may have been faster
}

}  // namespace detail

/// The file of a client's history in a folder: client-7.history.
[[nodiscard]] inline std::filesystem::path history_path(std::filesystem::path const& folder, ClientId client) {
  return folder / ("client-" + std::to_string(client) + ".history");
}

/// Writes the history of each client to a file of its own in `folder`, which is created if it is missing, and removes
/// the files of forgotten clients, also those that a killed run left unfinished. Each file appears complete or not at all, so that a killed run leaves a readable
/// file of each client. If an Execution spreads client states over processes, all processes call it, and each writes the
/// files of its own clients. Throws std::system_error if a file cannot be written.
///
/// Call it after the rounds that the unlearner keeps, or less often: a client whose file lacks the last records takes
/// part in a replay of these rounds without a correction. Each call writes whole files. For thousands of clients, or
/// many calls, `write_rank_histories` is better: one file for all clients of a process.
template <class Policies, Population Clients>
requires std::same_as<State<typename Policies::Unlearner>, ClientHistory>
void write_histories(std::filesystem::path const& folder, Training<Policies, Clients> const& training) {
  std::filesystem::create_directories(folder);
  auto const& clients = training.clients();
  auto const& states = training.client_states();
  auto const here = detail::states_here(training);
  detail::remove_histories(folder, training.forgotten_clients());
  for (std::size_t i = 0; i < states.size(); ++i)  // the history of a forgotten client is empty
    if (here[i] != 0 && !states[i].kept.empty())
      write_history(history_path(folder, clients[i].id), {training.options().seed, clients[i].id}, states[i].kept);
}

/// Replaces the histories of a training by those in the folder. The training must be the one that wrote them, with the
/// same policies and data. The files know its seed only, so give each training its own folder. Records of rounds after `training.number()` are left out: the training will
/// make them again. A client without a file has no history. Returns the number of histories that were read. If an
/// Execution spreads client states over processes, all processes call it, and each reads the files of its own clients.
///
/// Throws std::system_error if the folder or a file cannot be read, FormatError if a file is cut, damaged or the history
/// of another client or run, and std::invalid_argument if it was recorded with another interval or store. The training is
/// then as before. With several processes only the process of the damaged file throws: end the run.
template <class Policies, Population Clients>
requires std::same_as<State<typename Policies::Unlearner>, ClientHistory>
std::size_t read_histories(std::filesystem::path const& folder, Training<Policies, Clients>& training) {
  auto const& clients = training.clients();
  static_cast<void>(std::filesystem::directory_iterator(folder));  // a folder that is missing is not one without files
  std::vector<std::pair<std::size_t, ClientHistory>> histories;
  std::size_t found = 0;
  auto const here = detail::states_here(training);
  for (std::size_t i = 0; i < here.size(); ++i) {
    ClientId const id = clients[i].id;
    if (here[i] == 0 || std::ranges::binary_search(training.forgotten_clients(), id)) continue;
    ClientHistory history;
    if (auto const path = history_path(folder, id); std::filesystem::exists(path)) {
      history = read_history(path, {training.options().seed, id});
      training.policies().unlearner.require_fitting(history, training.ranker());
      history.cut_after(training.number());
      ++found;
    }
    histories.emplace_back(i, std::move(history));
  }
  for (auto& [i, history] : histories) training.set_kept(i, std::move(history));
  return found;
}

/// Writes the histories of all clients of this process to one file, except those of forgotten clients. The file appears
/// complete or not at all, and only its owner may read it. Files of other names stay as they are: after `forget`, remove
/// those that have the history of a forgotten client. If an Execution spreads client states over processes, all
/// processes call it, each with a path of its own. Throws std::system_error if the file cannot be written.
template <class Policies, Population Clients>
requires std::same_as<State<typename Policies::Unlearner>, ClientHistory>
void write_rank_histories(std::filesystem::path const& path, Training<Policies, Clients> const& training) {
  detail::RankHistories out{training.options().seed, {}};
  auto const& states = training.client_states();
  auto const here = detail::states_here(training);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (here[i] != 0 && !states[i].kept.empty()) out.clients.emplace_back(training.clients()[i].id, states[i].kept);
  AtomicFile file(path, 0600);
  file.write(enclose(detail::rank_history_format, field_bytes(out)));
  file.commit();
}

/// Like `read_histories`, from the files of all ranks. The training may have another number of ranks: each process reads
/// all files and takes the histories of its own clients. Clients that are not in the population are left out. Also
/// throws FormatError if a client is in two files.
template <class Policies, Population Clients>
requires std::same_as<State<typename Policies::Unlearner>, ClientHistory>
std::size_t read_rank_histories(std::span<std::filesystem::path const> files, Training<Policies, Clients>& training) {
  auto const here = detail::states_here(training);
  std::map<ClientId, ClientHistory> found;
  for (std::filesystem::path const& path : files) {
    MappedFile const file(path);
    try {
      FieldReader reader(payload_of(detail::rank_history_format, file.bytes()));
      detail::RankHistories in;
      reader.read(in);
      reader.expect_end();
      if (in.run != training.options().seed)
        throw FormatError("required the histories of run " + std::to_string(training.options().seed) +
                          ", got those of run " + std::to_string(in.run));
      for (auto& [id, history] : in.clients) {
        if (!history.consistent())
          throw FormatError("required a consistent history, got sizes that contradict each other");
        training.policies().unlearner.require_fitting(history, training.ranker());
        history.cut_after(training.number());
        if (!found.emplace(id, std::move(history)).second)
          throw FormatError("required each client once, got client " + std::to_string(id) + " twice");
      }
    } catch (FormatError const& error) {
      throw FormatError(path.string() + ": " + error.what());
    }
  }
  std::size_t read = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    ClientId const id = training.clients()[i].id;
    if (here[i] == 0 || std::ranges::binary_search(training.forgotten_clients(), id)) continue;
    auto const at = found.find(id);
    read += at != found.end() ? 1U : 0U;
    training.set_kept(i, at != found.end() ? std::move(at->second) : ClientHistory{});
  }
  return read;
}

}  // namespace fltr
