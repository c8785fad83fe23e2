#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <fltr/formats/fingerprint.hpp>
#include <fltr/formats/letor_reader.hpp>

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
  int const* pointer = nullptr;
};
struct OtherName {
  float rate = 0.5F;
  Kind kind = Kind::first;
};
struct Derived : Inner {
  int own = 1;
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
  int const somewhere = 1;
  CHECK(hash(Outer{.pointer = &somewhere}) == base);  // addresses differ between runs
  CHECK_FALSE(hash(OtherName{}) == hash(Inner{}));
}

TEST_CASE("Of a class with a base class the type counts, and its members do not") {
  CHECK(hash(Derived{{}, 1}) == hash(Derived{{}, 2}));
  CHECK_FALSE(hash(Derived{}) == hash(Inner{}));
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
