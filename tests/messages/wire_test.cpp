#include <fltr/messages/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/messages/client_message.hpp>
#include <fltr/messages/local_weights.hpp>

#include "support/catch.hpp"

namespace {

using fltr::FormatError;
using fltr::from_bytes;
using fltr::LocalWeights;
using fltr::to_bytes;

/// Has the same fields as LocalWeights, but another name.
struct Gradient {
  static constexpr std::string_view wire_name = "gradient";
  std::vector<float> values;
  std::uint32_t interactions = 0;
  auto fields(auto&& visit) { return visit(values, interactions); }
};

struct Nameless {
  int value = 0;
  auto fields(auto&& visit) { return visit(value); }
};

LocalWeights const example{{1.0F, -2.5F, 3e-30F}, 4};

}  // namespace

TEST_CASE("from_bytes returns the message of which to_bytes made the bytes") {
  auto const bytes = to_bytes(example);
  auto const back = from_bytes<LocalWeights>(bytes);
  CHECK(back.values == example.values);
  CHECK(back.interactions == 4);
  CHECK(from_bytes<LocalWeights>(to_bytes(LocalWeights{})).values.empty());
  // A message with values that a server rejects is still well-formed.
  float const inf = std::numeric_limits<float>::infinity();
  CHECK(from_bytes<LocalWeights>(to_bytes(LocalWeights{{inf}, 1})).values[0] == inf);
}

TEST_CASE("The bytes of a message are an envelope and its fields") {
  // 64 bytes of envelope, then 8 bytes length, 3 floats, 4 bytes interactions.
  auto const bytes = to_bytes(example);
  REQUIRE(bytes.size() == 64 + 8 + 12 + 4);
  CHECK(std::ranges::equal(fltr::payload_of({"message", "local_weights", 2}, bytes), fltr::field_bytes(example)));
}

TEST_CASE("A message with any byte changed is refused") {
  auto bytes = to_bytes(example);
  for (auto& byte : bytes) {
    auto const sent = byte;
    for (unsigned value = 0; value < 256; ++value) {
      byte = static_cast<std::byte>(value);
      if (byte == sent) continue;
      REQUIRE_THROWS_AS(from_bytes<LocalWeights>(bytes), FormatError);
    }
    byte = sent;
  }
  CHECK_NOTHROW(from_bytes<LocalWeights>(bytes));
}

TEST_CASE("A message that is too short or too long is refused") {
  auto bytes = to_bytes(example);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_THROWS_AS(from_bytes<LocalWeights>(std::span(bytes).first(n)), FormatError);
  bytes.push_back(std::byte{0});
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(bytes),
                    "the message is too long: required 24 bytes behind its header, got 25");
}

TEST_CASE("A message of another kind is refused, even with the same fields") {
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(to_bytes(Gradient{{1.0F}, 1})),
                    "required a message of kind 'local_weights', got kind 'gradient'");
}

TEST_CASE("A message of another version is refused") {
  auto bytes = to_bytes(example);
  bytes[40] = std::byte{3};
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(bytes), "message of version 3, this library reads version 2");
  std::string_view const old("FLTM\1\0\0\0", 8);  // the first bytes of a message of version 1
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(std::as_bytes(std::span(old))),
                    "message of version 1, this library reads version 2");
}

TEST_CASE("Bytes that are not a message are refused") {
  std::string_view const text = "1 qid:10 1:0.5 2:1.0 # a line of a LETOR file, long enough for a header";
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(std::as_bytes(std::span(text))), "not a message of fltr");
}

TEST_CASE("Fields that do not end where the payload ends are refused, even with a correct checksum") {
  auto const enclosed = [](std::vector<std::byte> const& payload) {
    return fltr::enclose({"message", LocalWeights::wire_name, 2}, payload);
  };
  auto payload = fltr::field_bytes(example);
  REQUIRE(enclosed(payload) == to_bytes(example));
  payload.push_back(std::byte{0});
  CHECK_THROWS_AS(from_bytes<LocalWeights>(enclosed(payload)), FormatError);
  payload.resize(payload.size() - 2);
  CHECK_THROWS_AS(from_bytes<LocalWeights>(enclosed(payload)), FormatError);
  payload.assign(8, std::byte{0xFF});  // 2^64 - 1 values
  CHECK_THROWS_AS(from_bytes<LocalWeights>(enclosed(payload)), FormatError);
}

TEST_CASE("A WireMessage has fields and a name") {
  STATIC_REQUIRE(fltr::WireMessage<LocalWeights>);
  STATIC_REQUIRE(fltr::WireMessage<Gradient>);
  STATIC_REQUIRE(!fltr::WireMessage<Nameless>);
  STATIC_REQUIRE(!fltr::WireMessage<int>);
}

TEST_CASE("A ClientMessage keeps the number of its client when it is written and read") {
  fltr::ClientMessage<LocalWeights> const sent{7, example};
  fltr::ClientMessage<LocalWeights> back;
  auto const sent_bytes = fltr::field_bytes(sent);
  fltr::FieldReader(sent_bytes).read(back);
  CHECK(back.client == 7);
  CHECK(back.message.values == example.values);
}
