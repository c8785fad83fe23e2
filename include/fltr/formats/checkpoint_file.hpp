#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/core/content_hash.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/version.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// What a saved state belongs to. A state is restored only into a training with the same three hashes (see
/// Fingerprint).
struct CheckpointIdentity {
  ContentHash policies{};
  ContentHash options{};
  ContentHash data{};

  friend bool operator==(CheckpointIdentity const&, CheckpointIdentity const&) = default;
  auto fields(auto&& visit) {
    return visit(policies.low, policies.high, options.low, options.high, data.low, data.high);
  }
};

/// The fields at the beginning of a checkpoint.
struct CheckpointHeader {
  std::string library{version};  ///< another version of the library may compute other bits
  CheckpointIdentity identity{};
  std::uint32_t round = 0;
  std::uint32_t rank = 0;   ///< this file is part `rank` of `ranks`
  std::uint32_t ranks = 1;  ///< the number of processes of the run
  ContentHash set{};        ///< a hash of round and shared state; all parts of a set have the same

  auto fields(auto&& visit) { return visit(library, identity, round, rank, ranks, set.low, set.high); }
};

/// The content of a checkpoint: the header, the state of the training, and bytes of the program's own (for example the
/// rows of a table).
struct Checkpoint {
  CheckpointHeader header{};
  std::vector<std::byte> state{};
  std::vector<std::byte> log{};
};

namespace detail {

inline constexpr EnvelopeFormat checkpoint_format{"checkpoint", "checkpoint", 1};

/// The payload of a checkpoint before the state and the log.
struct CheckpointPreamble {
  CheckpointHeader header{};
  std::uint64_t state_size = 0;
  std::uint64_t log_size = 0;
  auto fields(auto&& visit) { return visit(header, state_size, log_size); }
};

}  // namespace detail

/// The checkpoint in these bytes. Throws FormatError if they are not an undamaged checkpoint of this version.
[[nodiscard]] inline Checkpoint parse_checkpoint(std::span<std::byte const> bytes) {
  FieldReader reader(payload_of(detail::checkpoint_format, bytes));
  detail::CheckpointPreamble preamble;
  reader.read(preamble);
  auto const rest = reader.rest();
  if (preamble.state_size > rest.size() || preamble.log_size != rest.size() - preamble.state_size)
    throw FormatError("the sizes in the checkpoint do not agree");
  Checkpoint checkpoint{std::move(preamble.header), {}, {}};
  auto const state = rest.first(static_cast<std::size_t>(preamble.state_size));
  auto const log = rest.subspan(state.size());
  checkpoint.state.assign(state.begin(), state.end());
  checkpoint.log.assign(log.begin(), log.end());
  return checkpoint;
}

/// Reads a checkpoint. Throws std::system_error if the file cannot be read, and FormatError as parse_checkpoint does.
[[nodiscard]] inline Checkpoint read_checkpoint(std::filesystem::path const& path) {
  MappedFile const file(path);
  return parse_checkpoint(file.bytes());
}

/// Writes a checkpoint: to a temporary file, which is synchronised with the disk and then renamed; the folder is
/// synchronised too. The file appears complete or not at all. Throws std::system_error if it cannot be written.
inline void write_checkpoint(std::filesystem::path const& path, CheckpointHeader const& header,
                             std::span<std::byte const> state, std::span<std::byte const> log) {
  auto const preamble = field_bytes(detail::CheckpointPreamble{header, state.size(), log.size()});
  Envelope const envelope = make_envelope(detail::checkpoint_format, {preamble, state, log});
  AtomicFile file(path, 0600);  // it has the states of clients, which no noise covers
  file.write(std::as_bytes(std::span(&envelope, 1)));
  file.write(preamble);
  file.write(state);
  file.write(log);
  file.commit();
}

}  // namespace fltr
