#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>

namespace fltr {

/// A **WireMessage** is a message that can be sent to another process. It has fields (see HasFields), a default
/// constructor and a name of at most 32 characters, `M::wire_name`, by which the receiver recognises its type.
template <class M>
concept WireMessage = HasFields<M> && std::default_initializable<M> && requires {
  { M::wire_name } -> std::convertible_to<std::string_view>;
};

namespace detail {

template <WireMessage M>
inline constexpr EnvelopeFormat wire_format{"message", M::wire_name, 2};

/// Messages of version 1 began with the characters FLTM.
inline void refuse_message_of_version_1(std::span<std::byte const> bytes) {
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "FLTM", 4) == 0)
    throw FormatError("message of version 1, this library reads version 2");
}

}  // namespace detail

/// The message as bytes, in an Envelope, for a file, a socket or a pipe.
template <WireMessage M>
[[nodiscard]] std::vector<std::byte> to_bytes(M const& message) {
  return enclose(detail::wire_format<M>, field_bytes(message));
}

/// The message of which `to_bytes` made the bytes. Throws FormatError for any other bytes. The values in a well-formed
/// message are not checked: the caller must screen them.
template <WireMessage M>
[[nodiscard]] M from_bytes(std::span<std::byte const> bytes) {
  detail::refuse_message_of_version_1(bytes);
  FieldReader reader(payload_of(detail::wire_format<M>, bytes));
  M message;
  reader.read(message);
  reader.expect_end();
  return message;
}

}  // namespace fltr
