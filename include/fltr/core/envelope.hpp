#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fltr/core/checksum.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// What an envelope holds. `noun` is the word for it in error texts, such as "model file".
struct EnvelopeFormat {
  std::string_view noun;
  std::string_view kind;  ///< at most 32 characters, stored in the envelope
  std::uint32_t version;
  std::uint32_t oldest_version = 0;  ///< of the versions that the library reads in another way, for error texts
};

/// The first 64 bytes of every binary file and message of fltr. The payload follows them to the end.
///
/// | offset | bytes | content                                          |
/// | -----: | ----: | ------------------------------------------------ |
/// |      0 |     8 | `magic_bytes`                                    |
/// |      8 |    32 | kind of the payload, padded with zero bytes      |
/// |     40 |     4 | version of the payload's layout                  |
/// |     44 |     4 | zero                                             |
/// |     48 |     8 | size of the payload                              |
/// |     56 |     8 | checksum (XXH3, 64 bits) of the payload          |
///
/// Numbers are little-endian. A change of any byte of envelope or payload is detected.
struct Envelope {
  /// The line ends reveal a transfer that changed them.
  static constexpr std::array<char, 8> magic_bytes{'f', 'l', 't', 'r', '\r', '\n', '\x1A', '\n'};

  std::array<char, 8> magic = magic_bytes;
  std::array<char, 32> kind{};
  std::uint32_t version = 0;
  std::uint32_t zero = 0;
  std::uint64_t payload_size = 0;
  std::uint64_t payload_checksum = 0;
};
static_assert(sizeof(Envelope) == 64 && std::is_trivially_copyable_v<Envelope>);

/// The envelope of a payload that consists of `pieces`, one after the other. Requires a kind of 1 to 32 characters.
[[nodiscard]] inline Envelope make_envelope(EnvelopeFormat const& format,
                                            std::initializer_list<std::span<std::byte const>> pieces) {
  Envelope envelope;
  require(!format.kind.empty() && format.kind.size() <= envelope.kind.size(), "make_envelope",
          "a kind of 1 to 32 characters", format.kind);
  std::ranges::copy(format.kind, envelope.kind.begin());
  envelope.version = format.version;
  Checksum sum;
  for (auto const piece : pieces) {
    envelope.payload_size += piece.size();
    sum.update(piece);
  }
  envelope.payload_checksum = sum.value();
  return envelope;
}

/// An envelope and its payload as one block of bytes.
[[nodiscard]] inline std::vector<std::byte> enclose(EnvelopeFormat const& format, std::span<std::byte const> payload) {
  Envelope const envelope = make_envelope(format, {payload});
  // No insert into an empty vector: g++ 12 warns falsely about an overflow there.
  std::vector<std::byte> bytes(sizeof envelope + payload.size());
  std::memcpy(bytes.data(), &envelope, sizeof envelope);
  std::ranges::copy(payload, bytes.begin() + sizeof envelope);
  return bytes;
}

/// The payload in the envelope that `bytes` begin with, as a part of `bytes`. Throws FormatError, with a text that
/// names the reason: not of fltr, of another kind, of another version, too short, too long, or damaged.
[[nodiscard]] inline std::span<std::byte const> payload_of(EnvelopeFormat const& format,
                                                           std::span<std::byte const> bytes) {
  std::string const noun(format.noun);
  auto const& magic = Envelope::magic_bytes;
  if (bytes.size() < magic.size() || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    throw FormatError("not a " + noun + " of fltr");
  Envelope envelope;
  if (bytes.size() < sizeof envelope)
    throw FormatError("the " + noun + " is cut short: required at least " + std::to_string(sizeof envelope) +
                      " bytes, got " + std::to_string(bytes.size()));
  std::memcpy(&envelope, bytes.data(), sizeof envelope);
  std::array<char, 32> kind{};
  std::ranges::copy(format.kind.substr(0, kind.size()), kind.begin());
  if (envelope.kind != kind) {
    std::string other;  // untrusted: only printable characters reach the error text
    for (auto at = envelope.kind.begin(); at != envelope.kind.end() && *at != '\0'; ++at)
      other += *at >= ' ' && *at <= '~' ? *at : '?';
    throw FormatError("required a " + noun + " of kind '" + std::string(format.kind) + "', got kind '" + other + "'");
  }
  if (envelope.version != format.version || envelope.zero != 0)
    throw FormatError(noun + " of version " + std::to_string(envelope.version) + ", this library reads version" +
                      (format.oldest_version != 0 ? "s " + std::to_string(format.oldest_version) + " to " : " ") +
                      std::to_string(format.version));
  auto const payload = bytes.subspan(sizeof envelope);
  if (envelope.payload_size != payload.size())
    throw FormatError("the " + noun + (envelope.payload_size > payload.size() ? " is cut short" : " is too long") +
                      ": required " + std::to_string(envelope.payload_size) + " bytes behind its header, got " +
                      std::to_string(payload.size()));
  if (envelope.payload_checksum != checksum(payload))
    throw FormatError("the " + noun + " is damaged: its checksum differs");
  return payload;
}

}  // namespace fltr
