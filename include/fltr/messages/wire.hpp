#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/core/checksum.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>

namespace fltr {

/// A message that can leave the process: it has fields, and a name by which the other side knows it.
template <class M>
concept WireMessage = HasFields<M> && std::default_initializable<M> && requires {
  { M::wire_name } -> std::convertible_to<std::string_view>;
};

/// The envelope around a message: what it is, of which version, and whether it arrived as it was sent.
struct WireHeader {
  static constexpr std::uint32_t magic_number = 0x4D544C46;  // "FLTM"
  static constexpr std::uint32_t current_version = 1;

  std::uint32_t magic = magic_number;
  std::uint32_t version = current_version;
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;

  auto fields(auto&& visit) { return visit(magic, version, name, size, checksum); }
};

/// The message as bytes, for a file, a socket or a pipe.
template <WireMessage M>
[[nodiscard]] std::vector<std::byte> to_bytes(M const& message) {
  auto const payload = field_bytes(message);
  FieldWriter writer;
  writer.write(WireHeader{WireHeader::magic_number, WireHeader::current_version, std::string(M::wire_name),
                          payload.size(), fnv1a(payload)});
  auto bytes = std::move(writer).bytes();
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

/// The message that `to_bytes` packed. Throws FormatError for anything else. What it holds is still to be screened:
/// a well-formed message may claim anything.
template <WireMessage M>
[[nodiscard]] M from_bytes(std::span<std::byte const> bytes) {
  FieldReader reader(bytes);
  WireHeader header;
  reader.read(header.magic);
  if (header.magic != WireHeader::magic_number) throw FormatError("not a message of fltr");
  reader.read(header.version);
  if (header.version != WireHeader::current_version)
    throw FormatError("message of version " + std::to_string(header.version) + ", this library reads version " +
                      std::to_string(WireHeader::current_version));
  reader.read(header.name);
  if (header.name != M::wire_name)
    throw FormatError("message of another kind than '" + std::string(M::wire_name) + "'");
  reader.read(header.size);
  reader.read(header.checksum);
  if (header.size != reader.rest().size()) throw FormatError("message of another length than it says");
  if (header.checksum != fnv1a(reader.rest())) throw FormatError("message damaged: its checksum differs");
  M message;
  reader.read(message);
  reader.expect_end();
  return message;
}

}  // namespace fltr
