#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/data/client.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/mapped_file.hpp>
#include <fltr/unlearners/client_history.hpp>

namespace fltr {

namespace detail {
inline constexpr EnvelopeFormat history_format{"history file", "client history", 1};
}  // namespace detail

/// The client that a history belongs to.
struct HistoryOwner {
  std::uint64_t run = 0;  ///< a number of the training; a simulation takes its seed
  ClientId client = 0;

  [[nodiscard]] bool operator==(HistoryOwner const&) const = default;
  auto fields(auto&& visit) { return visit(run, client); }
};

/// Writes the history of one client to a file of its own: an Envelope, the owner, the history. The file appears
/// complete or not at all, also if the process is killed: an earlier file then stays as it was. Throws
/// std::system_error if the file cannot be written.
///
/// Only the owner of the file may read it (mode 0600). It is not encrypted. FedEraser says what it reveals if it is
/// stolen.
template <class = void>
void write_history(std::filesystem::path const& path, HistoryOwner const& owner, ClientHistory const& history) {
  FieldWriter writer;
  writer.write(owner);
  writer.write(history);
  AtomicFile file(path, 0600);
  file.write(enclose(detail::history_format, writer.bytes()));
  file.commit();
}

/// Reads the history of this owner. Throws std::system_error if the file cannot be read, and FormatError if it is cut,
/// damaged, of another version, or the history of another client or run.
template <class = void>
[[nodiscard]] ClientHistory read_history(std::filesystem::path const& path, HistoryOwner const& owner) {
  MappedFile const file(path);
  try {
    FieldReader reader(payload_of(detail::history_format, file.bytes()));
    HistoryOwner found;
    ClientHistory history;
    reader.read(found);
    reader.read(history);
    reader.expect_end();
    auto const text = [](HistoryOwner const& of) {
      return "client " + std::to_string(of.client) + " in run " + std::to_string(of.run);
    };
    if (found != owner) throw FormatError("required the history of " + text(owner) + ", got that of " + text(found));
    if (!history.consistent()) throw FormatError("required a consistent history, got sizes that contradict each other");
    return history;
  } catch (FormatError const& error) {
    throw FormatError(path.string() + ": " + error.what());
  }
}

}  // namespace fltr
