#include <fltr/messages/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/sent.hpp>

#include "support/catch.hpp"

namespace {

using fltr::FormatError;
using fltr::from_bytes;
using fltr::LocalWeights;
using fltr::to_bytes;

/// Has the very fields of LocalWeights, but is something else.
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

TEST_CASE("a message comes back from its bytes") {
  auto const bytes = to_bytes(example);
  auto const back = from_bytes<LocalWeights>(bytes);
  CHECK(back.values == example.values);
  CHECK(back.interactions == 4);
  CHECK(from_bytes<LocalWeights>(to_bytes(LocalWeights{})).values.empty());
  // Values that a server would refuse are still a well-formed message.
  float const inf = std::numeric_limits<float>::infinity();
  CHECK(from_bytes<LocalWeights>(to_bytes(LocalWeights{{inf}, 1})).values[0] == inf);
}

TEST_CASE("the bytes of a message are as documented") {
  // 4 magic, 4 version, 8 + 13 name, 8 size, 8 checksum, then 8 length, 3 floats, 4 interactions.
  auto const bytes = to_bytes(example);
  REQUIRE(bytes.size() == 4 + 4 + 8 + 13 + 8 + 8 + 8 + 12 + 4);
  std::string start;
  for (std::size_t i = 0; i < 4; ++i) start += static_cast<char>(bytes[i]);
  CHECK(start == "FLTM");
  CHECK(static_cast<int>(bytes[4]) == 1);
}

TEST_CASE("a message with any byte changed to anything else is refused") {
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

TEST_CASE("a message that was cut or that goes on is refused") {
  auto bytes = to_bytes(example);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_THROWS_AS(from_bytes<LocalWeights>(std::span(bytes).first(n)), FormatError);
  bytes.push_back(std::byte{0});
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(bytes), "message of another length than it says");
}

TEST_CASE("a message of another kind is refused, even with the same fields") {
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(to_bytes(Gradient{{1.0F}, 1})),
                    "message of another kind than 'local_weights'");
}

TEST_CASE("a message of another version is refused") {
  auto bytes = to_bytes(example);
  bytes[4] = std::byte{2};
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(bytes), "message of version 2, this library reads version 1");
}

TEST_CASE("bytes of something else are refused") {
  std::string_view const text = "1 qid:10 1:0.5 2:1.0 # a line of a LETOR file, long enough for a header";
  CHECK_THROWS_WITH(from_bytes<LocalWeights>(std::as_bytes(std::span(text))), "not a message of fltr");
}

TEST_CASE("fields that do not end where the payload ends are refused though the checksum is right") {
  struct Envelope {
    static std::vector<std::byte> around(std::vector<std::byte> const& payload) {
      fltr::FieldWriter writer;
      writer.write(fltr::WireHeader{fltr::WireHeader::magic_number, fltr::WireHeader::current_version,
                                    std::string(LocalWeights::wire_name), payload.size(), fltr::fnv1a(payload)});
      auto bytes = std::move(writer).bytes();
      bytes.insert(bytes.end(), payload.begin(), payload.end());
      return bytes;
    }
  };
  auto payload = fltr::field_bytes(example);
  REQUIRE(Envelope::around(payload) == to_bytes(example));
  payload.push_back(std::byte{0});
  CHECK_THROWS_AS(from_bytes<LocalWeights>(Envelope::around(payload)), FormatError);
  payload.resize(payload.size() - 2);
  CHECK_THROWS_AS(from_bytes<LocalWeights>(Envelope::around(payload)), FormatError);
  payload.assign(8, std::byte{0xFF});  // 2^64 - 1 values
  CHECK_THROWS_AS(from_bytes<LocalWeights>(Envelope::around(payload)), FormatError);
}

TEST_CASE("what can leave the process") {
  STATIC_REQUIRE(fltr::WireMessage<LocalWeights>);
  STATIC_REQUIRE(fltr::WireMessage<Gradient>);
  STATIC_REQUIRE(!fltr::WireMessage<Nameless>);
  STATIC_REQUIRE(!fltr::WireMessage<int>);
}

TEST_CASE("who sent a message travels with it") {
  fltr::Sent<LocalWeights> const sent{7, example};
  fltr::Sent<LocalWeights> back;
  auto const sent_bytes = fltr::field_bytes(sent);
  fltr::FieldReader(sent_bytes).read(back);
  CHECK(back.client == 7);
  CHECK(back.message.values == example.values);
}
