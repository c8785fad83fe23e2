#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/core/fingerprint.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/messages/local_weights.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

enum class Kind { first, second };
struct Inner {
  float rate = 0.5F;
  Kind kind = Kind::first;
};
struct Outer {
  Inner inner{};
  std::vector<double> list{1, 2};
  std::variant<int, std::string> either{3};
  bool on = false;
};
struct WithPointer {
  int const* pointer = nullptr;
};
struct OtherName {
  float rate = 0.5F;
  Kind kind = Kind::first;
};
struct Derived : Inner {
  int own = 1;
};
struct Shown : Inner {
  explicit Shown(float r = 0.5F, int value = 1) : Inner{.rate = r}, own(value) {}
  auto members(auto&& visit) const { return visit(static_cast<Inner const&>(*this), own); }

 private:
  int own;
};
struct WithFields {
  int value = 1;
  auto fields(auto&& visit) { return visit(value); }
};
struct Hides {
  WithPointer inner{};
};
struct Empty {};
// These look as if they could be seen, and have a part that does not count.
struct AddsToShown : Shown {
  double scale = 1.0;
};
struct AddsToFields : WithFields {
  double scale = 1.0;
};
struct AddsToVector : std::vector<float> {
  double scale = 1.0;
};
struct LooksLikeText {
  std::string name{};
  double scale = 1.0;
  operator std::string_view() const { return name; }  // NOLINT(google-explicit-constructor)
};
struct LooksLikeContainer {
  using value_type = float;
  explicit LooksLikeContainer(double s) : scale(s) {}
  float const* begin() const { return nullptr; }
  float const* end() const { return nullptr; }
  std::size_t size() const { return 0; }
  double scale;
};
struct AddsNothing : Shown {
  using Shown::Shown;
};
/// 12 bytes in a class of 16, as LocalWeights has 28 bytes in 32: a derived class may use the other 4.
struct Padded {
  explicit Padded(double f = 0.0) : first(f) {}
  double first;
  int second = 1;
  auto fields(auto&& visit) { return visit(first, second); }
  auto members(auto&& visit) const { return visit(first, second); }
};
struct InPadding : Padded {
  float hidden = 0.0F;
};
struct BitInPadding : Padded {
  bool hidden : 1 = false;
};
struct InPaddingOfNext : InPadding {};
struct NothingInPadding : Padded {};
struct SaysNothingInPadding : Padded {
  auto fields(auto&& visit) { return Padded::fields(visit); }
  auto members(auto&& visit) const { return Padded::members(visit); }
};
struct HiddenInMessage : fltr::LocalWeights {
  float score = 0.0F;
};
struct ShownInMessage : fltr::LocalWeights {
  float score = 0.0F;
  auto fields(auto&& visit) { return visit(values, interactions, score); }
};
/// Counts how often it is read.
struct Once {
  static constexpr bool fingerprint_once = true;
  int value = 1;
  mutable int reads = 0;
  auto members(auto&& visit) const {
    ++reads;
    return visit(value);
  }
};
struct OnceWithin {
  static constexpr bool fingerprint_once = true;
  Once first{};
  int second = 0;
  auto members(auto&& visit) const { return visit(first, second); }
};

template <class T>
ContentHash hash(T const& value) {
  return Fingerprint().add(value).value();
}

}  // namespace

TEST_CASE("A change of any visible member changes the fingerprint") {
  ContentHash const base = hash(Outer{});
  CHECK(hash(Outer{}) == base);
  CHECK_FALSE(hash(Outer{.inner = {.rate = 0.25F}}) == base);
  CHECK_FALSE(hash(Outer{.inner = {.kind = Kind::second}}) == base);
  CHECK_FALSE(hash(Outer{.list = {1, 3}}) == base);
  CHECK_FALSE(hash(Outer{.list = {1}}) == base);
  CHECK_FALSE(hash(Outer{.either = 4}) == base);
  CHECK_FALSE(hash(Outer{.either = std::string("3")}) == base);
  CHECK_FALSE(hash(Outer{.on = true}) == base);
  CHECK_FALSE(hash(OtherName{}) == hash(Inner{}));
}

TEST_CASE("Fingerprint sees aggregates and shown members, and no pointer, base class or private member") {
  STATIC_REQUIRE(Fingerprint::sees<Outer>());
  STATIC_REQUIRE(Fingerprint::sees<Shown>());
  STATIC_REQUIRE(Fingerprint::sees<Empty>());
  STATIC_REQUIRE(Fingerprint::sees<std::vector<Shown>>());
  STATIC_REQUIRE(Fingerprint::sees<std::variant<int, Shown>>());
  STATIC_REQUIRE(Fingerprint::sees<WithFields>());
  STATIC_REQUIRE(Fingerprint::sees<AddsNothing>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<Derived>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<AddsToShown>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<AddsToFields>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<AddsToVector>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<LooksLikeContainer>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<long double>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<WithPointer>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<Hides>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<std::vector<WithPointer>>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<std::variant<int, WithPointer>>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<std::optional<WithPointer>>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<std::shared_ptr<int>>());
}

TEST_CASE("Data in the padding of a base class is not hidden: the type must list it, or say that there is none") {
  STATIC_REQUIRE(sizeof(InPadding) == sizeof(Padded));
  STATIC_REQUIRE(sizeof(BitInPadding) == sizeof(Padded));
  STATIC_REQUIRE(sizeof(HiddenInMessage) == sizeof(fltr::LocalWeights));
  STATIC_REQUIRE(Fingerprint::sees<Padded>());
  STATIC_REQUIRE(fltr::HasFields<Padded>);
  STATIC_REQUIRE_FALSE(Fingerprint::sees<InPadding>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<BitInPadding>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<InPaddingOfNext>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<NothingInPadding>());
  STATIC_REQUIRE_FALSE(Fingerprint::sees<HiddenInMessage>());
  STATIC_REQUIRE(Fingerprint::sees<SaysNothingInPadding>());
  STATIC_REQUIRE(Fingerprint::sees<ShownInMessage>());
  // The same for files, messages and checkpoints.
  STATIC_REQUIRE_FALSE(fltr::Field<InPadding>);
  STATIC_REQUIRE_FALSE(fltr::Field<std::vector<BitInPadding>>);
  STATIC_REQUIRE_FALSE(fltr::HasFields<AddsToFields>);
  STATIC_REQUIRE_FALSE(fltr::Message<HiddenInMessage>);
  STATIC_REQUIRE(fltr::HasFields<SaysNothingInPadding>);
  STATIC_REQUIRE(fltr::Message<ShownInMessage>);
  ShownInMessage shown;
  ContentHash const before = hash(shown);
  shown.score = 1.0F;
  CHECK_FALSE(hash(shown) == before);
}

TEST_CASE("Members that a class shows change its fingerprint, those of its base class too") {
  CHECK(hash(Shown{}) == hash(Shown{}));
  CHECK_FALSE(hash(Shown{0.25F, 1}) == hash(Shown{}));
  CHECK_FALSE(hash(Shown{0.5F, 2}) == hash(Shown{}));
}

TEST_CASE("A type that converts to text counts with all its members") {
  CHECK_FALSE(hash(LooksLikeText{.scale = 1.0}) == hash(LooksLikeText{.scale = 2.0}));
}

TEST_CASE("The borders between containers count") {
  using Lists = std::vector<std::vector<int>>;
  CHECK_FALSE(hash(Lists{{1}, {2, 3}}) == hash(Lists{{1, 2}, {3}}));
  CHECK_FALSE(hash(Lists{{1, 2, 3}, {}}) == hash(Lists{{}, {1, 2, 3}}));
  CHECK_FALSE(hash(std::vector<std::string>{"ab", "c"}) == hash(std::vector<std::string>{"a", "bc"}));
}

TEST_CASE("Every byte of a long value counts, wherever the blocks of the hash end") {
  for (std::size_t size : {1U, 100U, 120U, 128U, 129U, 500U, 2000U}) {
    std::vector<ContentHash> seen;
    for (std::size_t changed = 0; changed <= size; changed += size / 7 + 1) {
      std::vector<float> values(size);
      if (changed < size) values[changed] = 1.0F;
      seen.push_back(Fingerprint().add(7).add(values).add(values).add(std::span(values)).value());
    }
    std::vector<float> last(size);
    last[size - 1] = 2.0F;
    seen.push_back(Fingerprint().add(7).add(last).add(last).add(std::span(last)).value());
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(seen[i] == seen[j]);
  }
}

TEST_CASE("Every value of many counts, also the first ones, whatever comes after them") {
  // 8 bytes each: the hash joins 512 bytes, and longer values are hashed alone.
  constexpr std::size_t count = 300;
  std::vector<float> const large(200, 1.0F);
  for (std::size_t const large_after : {std::size_t{0}, std::size_t{10}, count - 1, count}) {
    std::vector<ContentHash> seen;
    for (std::size_t changed = 0; changed <= count; changed += 13) {
      Fingerprint all;
      for (std::size_t i = 0; i < count; ++i) {
        all.add(i == changed ? 1.0 : 0.0);
        if (i == large_after) all.add(large);
      }
      seen.push_back(all.value());
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(seen[i] == seen[j]);
  }
}

TEST_CASE("The borders between spans count") {
  std::vector<int> const numbers{1, 2, 3};
  std::span<int const> const all(numbers);
  CHECK_FALSE(Fingerprint().add(all.first(1)).add(all.last(2)).value() ==
              Fingerprint().add(all.first(2)).add(all.last(1)).value());
  CHECK_FALSE(Fingerprint().add(all).add(all.first(0)).value() == Fingerprint().add(all.first(0)).add(all).value());
}

TEST_CASE("An object and its first member, which have one address, both count if each is hashed once") {
  OnceWithin const a{.first = {.value = 1}, .second = 1};
  OnceWithin const b{.first = {.value = 1}, .second = 2};
  auto const both = [](OnceWithin const& one) { return Fingerprint().add(one.first).add(one).value(); };
  CHECK(both(a) == both(OnceWithin(a)));
  CHECK_FALSE(both(a) == both(b));
}

TEST_CASE("A wiped fingerprint has nothing of what was added") {
  std::vector<std::uint64_t> const secret{0x0123456789ABCDEFU, 0xFEDCBA9876543210U};
  Fingerprint fingerprint;
  fingerprint.add(std::uint64_t{7}).add(secret);
  auto const holds_secret = [&] {
    auto const bytes = std::as_bytes(std::span(&fingerprint, 1));
    auto const wanted = std::as_bytes(std::span(secret));
    return std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end()) != bytes.end();
  };
  CHECK(holds_secret());
  fingerprint.wipe();
  CHECK_FALSE(holds_secret());
}

TEST_CASE("A value that many refer to is read once, and counts each time") {
  Once const shared{};
  Fingerprint twice;
  twice.add(shared).add(shared);
  CHECK(shared.reads == 1);
  CHECK_FALSE(twice.value() == Fingerprint().add(shared).value());
  Once const copy{};
  CHECK(Fingerprint().add(shared).add(copy).value() == twice.value());
  Once const other{.value = 2};
  CHECK_FALSE(Fingerprint().add(shared).add(other).value() == twice.value());
}

TEST_CASE("Texts that differ only in where they are cut have different fingerprints") {
  CHECK_FALSE(Fingerprint().add("ab").add("c").value() == Fingerprint().add("a").add("bc").value());
}

TEST_CASE("Features, grades, queries and identifiers of a Dataset count") {
  auto const read = [](char const* text) { return hash(parse_letor(text, "text")); };
  ContentHash const base = read("1 qid:1 1:0.5 # docid = a\n0 qid:2 1:1 # docid = b\n");
  CHECK(read("1 qid:1 1:5e-1 #docid = a\n0 qid:2 1:1.0 #docid = b\n") == base);
  CHECK_FALSE(read("1 qid:1 1:0.25 # docid = a\n0 qid:2 1:1 # docid = b\n") == base);
  CHECK_FALSE(read("2 qid:1 1:0.5 # docid = a\n0 qid:2 1:1 # docid = b\n") == base);
  CHECK_FALSE(read("1 qid:1 1:0.5 # docid = a\n0 qid:1 1:1 # docid = b\n") == base);
  CHECK_FALSE(read("1 qid:1 1:0.5 # docid = a\n0 qid:3 1:1 # docid = b\n") == base);
  CHECK_FALSE(read("1 qid:1 1:0.5 # docid = a\n0 qid:2 1:1 # docid = c\n") == base);
}

TEST_CASE("Which alternative a variant holds, and which optional has the value, counts") {
  using Rate = std::variant<int, unsigned, float>;
  CHECK_FALSE(hash(Rate(3)) == hash(Rate(3U)));
  using Optional = std::optional<int>;
  CHECK_FALSE(hash(std::vector<Optional>{1, std::nullopt}) == hash(std::vector<Optional>{std::nullopt, 1}));
  CHECK_FALSE(hash(Optional(0)) == hash(Optional()));
}
