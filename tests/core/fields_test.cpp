#include <fltr/core/fields.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::field_bytes;
using fltr::FieldReader;
using fltr::FieldWriter;
using fltr::FormatError;

struct Leaf {
  std::int16_t grade = 0;
  std::string name;
  bool seen = false;
  auto fields(auto&& visit) { return visit(grade, name, seen); }
  bool operator==(Leaf const&) const = default;
};

struct Nested {
  double value = 0.0;
  std::uint64_t count = 0;
  std::vector<float> weights;
  std::vector<Leaf> leaves;
  std::vector<std::vector<std::int32_t>> lists;
  Leaf last;
  auto fields(auto&& visit) { return visit(value, count, weights, leaves, lists, last); }
  bool operator==(Nested const&) const = default;
};

struct Small {
  std::uint16_t number = 0x0102;
  std::string text = "ab";
  auto fields(auto&& visit) { return visit(number, text); }
};

Nested example() {
  return {-0.5,
          1ULL << 60U,
          {1.0F, -2.5F, std::numeric_limits<float>::infinity()},
          {{3, "three", true}, {}, {-4, std::string("zero\0inside", 11), false}},
          {{1, 2, 3}, {}, {-1}},
          {7, "", true}};
}

template <class T>
T read(std::span<std::byte const> bytes) {
  FieldReader reader(bytes);
  T value;
  reader.read(value);
  reader.expect_end();
  return value;
}

std::vector<std::byte> length(std::uint64_t n, std::size_t more_bytes) {
  FieldWriter writer;
  writer.write(n);
  auto bytes = writer.bytes();
  bytes.resize(bytes.size() + more_bytes);
  return bytes;
}

}  // namespace

TEST_CASE("FieldReader restores a value from the bytes of FieldWriter") {
  Nested const value = example();
  CHECK(read<Nested>(field_bytes(value)) == value);
  CHECK(read<Nested>(field_bytes(Nested{})) == Nested{});

  SECTION("into an object with other contents") {
    auto const bytes = field_bytes(Nested{});
    Nested other = example();
    FieldReader(bytes).read(other);
    CHECK(other == Nested{});
  }
}

TEST_CASE("FieldWriter writes little-endian numbers and lengths of 64 bits") {
  std::vector<std::byte> expected;
  for (int const b : {2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 97, 98}) expected.push_back(static_cast<std::byte>(b));
  CHECK(field_bytes(Small{}) == expected);
}

TEST_CASE("FieldReader throws FormatError for bytes that end early, at every position") {
  auto const bytes = field_bytes(example());
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK_THROWS_AS(read<Nested>(std::span(bytes).first(n)), FormatError);
}

TEST_CASE("expect_end throws FormatError if bytes remain") {
  auto bytes = field_bytes(example());
  bytes.push_back(std::byte{0});
  CHECK_THROWS_WITH(read<Nested>(bytes), "required the end of the bytes, got 1 more");
}

TEST_CASE("FieldReader refuses a length above the number of bytes before it allocates memory") {
  for (std::uint64_t const n : {3ULL, 1ULL << 32U, 1ULL << 61U, 1ULL << 62U, 1ULL << 63U, ~0ULL}) {
    INFO("length " << n);
    auto const bytes = length(n, 8);  // bytes of two floats; n * 4 overflows to 0 for 2^62
    std::vector<float> floats;
    CHECK_THROWS_AS(FieldReader(bytes).read(floats), FormatError);
    CHECK(floats.capacity() == 0);
  }
  for (std::uint64_t const n : {9ULL, 1ULL << 61U, ~0ULL}) {
    auto const bytes = length(n, 8);
    std::vector<Leaf> leaves;
    CHECK_THROWS_AS(FieldReader(bytes).read(leaves), FormatError);
    CHECK(leaves.capacity() == 0);
    std::string text;
    CHECK_THROWS_AS(FieldReader(bytes).read(text), FormatError);
    CHECK(text.empty());
  }
  // A length equal to the number of bytes is possible for elements of one byte, but these elements are larger.
  auto const bytes = length(1000, 1000);
  std::vector<std::vector<float>> lists;
  CHECK_THROWS_AS(FieldReader(bytes).read(lists), FormatError);
  CHECK(lists.size() <= 126);  // empty lists of 8 bytes each
}

TEST_CASE("FieldReader throws FormatError for a truth value other than 0 and 1") {
  for (int b = 0; b < 256; ++b) {
    std::vector<std::byte> const bytes{static_cast<std::byte>(b)};
    if (b < 2)
      CHECK(read<bool>(bytes) == (b == 1));
    else
      CHECK_THROWS_AS(read<bool>(bytes), FormatError);
  }
}

namespace {

enum class Colour : std::uint8_t { red, green };

struct Rich {
  std::array<std::int32_t, 3> numbers{};
  std::optional<Leaf> maybe{};
  std::map<std::string, std::vector<double>> by_name{};
  std::pair<std::uint16_t, Colour> both{};
  std::vector<bool> flags{};
  std::vector<Colour> colours{};
  std::optional<std::vector<float>> none{};
  auto fields(auto&& visit) { return visit(numbers, maybe, by_name, both, flags, colours, none); }
  bool operator==(Rich const&) const = default;
};

struct WithPointer {
  int* pointer = nullptr;
  auto fields(auto&& visit) { return visit(pointer); }
};
struct WithPointers {
  std::map<int, std::vector<WithPointer>> deep{};
  auto fields(auto&& visit) { return visit(deep); }
};
struct ReturnsNothing {
  int value = 0;
  void fields(auto&& visit) { visit(value); }
};
struct ShowsNothing {
  auto fields(auto&& visit) { return visit(); }
};

}  // namespace

TEST_CASE("FieldReader restores arrays, optionals, maps, pairs, enumerations and flags") {
  Rich const value{{1, -2, 3},         Leaf{3, "three", true}, {{"a", {0.5, 0.25}}, {"", {}}},
                   {7, Colour::green}, {true, false, true},    {Colour::green, Colour::red},
                   std::nullopt};
  auto const bytes = field_bytes(value);
  CHECK(read<Rich>(bytes) == value);
  CHECK(read<Rich>(field_bytes(Rich{})) == Rich{});
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK_THROWS_AS(read<Rich>(std::span(bytes).first(n)), FormatError);

  SECTION("into an object with other contents") {
    Rich other = value;
    auto const empty = field_bytes(Rich{});
    FieldReader(empty).read(other);
    CHECK(other == Rich{});
  }
}

TEST_CASE("FieldReader throws FormatError for keys of a map that do not ascend") {
  FieldWriter writer;
  writer.write(std::uint64_t{2});
  for (std::uint32_t const key : {5U, 5U}) {
    writer.write(key);
    writer.write(1.0F);
  }
  auto const bytes = std::move(writer).bytes();
  CHECK_THROWS_WITH((read<std::map<std::uint32_t, float>>(bytes)), "required the keys of a map in ascending order");
}

TEST_CASE("HasFields and Field accept types whose members can all be written") {
  STATIC_REQUIRE(fltr::HasFields<Rich>);
  STATIC_REQUIRE(fltr::HasFields<ShowsNothing>);
  STATIC_REQUIRE(!fltr::HasFields<WithPointer>);
  STATIC_REQUIRE(!fltr::HasFields<WithPointers>);
  STATIC_REQUIRE(!fltr::HasFields<ReturnsNothing>);
  STATIC_REQUIRE(fltr::Field<std::map<std::string, std::array<double, 2>>>);
  STATIC_REQUIRE(!fltr::Field<float*>);
  STATIC_REQUIRE(!fltr::Field<std::optional<WithPointer>>);
  struct None {};
  STATIC_REQUIRE(fltr::HasFields<Nested>);
  STATIC_REQUIRE(!fltr::HasFields<None>);
  STATIC_REQUIRE(!fltr::HasFields<std::vector<float>>);
  STATIC_REQUIRE(!fltr::HasFields<double>);
}
