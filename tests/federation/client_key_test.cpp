#include <fltr/federation/client_key.hpp>

#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"

namespace {

using fltr::ClientKey;
using fltr::Key256;

}  // namespace

static_assert(!std::is_copy_constructible_v<ClientKey> && !std::is_copy_assignable_v<ClientKey>,
              "two copies would draw the same noise");

TEST_CASE("every message has another key, and so has every client") {
  std::set<Key256> seen;
  auto first = ClientKey::from_system();
  auto second = ClientKey::from_system();
  for (int i = 0; i < 100; ++i) {
    seen.insert(first.next());
    seen.insert(second.next());
  }
  CHECK(seen.size() == 200);
}

TEST_CASE("equal secrets give equal keys, in the same order") {
  ClientKey a(Key256{1, 2, 3});
  ClientKey b(Key256{1, 2, 3});
  for (int i = 0; i < 3; ++i) CHECK(a.next() == b.next());
}

TEST_CASE("a key that was moved from gives no more keys") {
  ClientKey a(Key256{1, 2, 3});
  ClientKey b(Key256{1, 2, 3});
  static_cast<void>(b.next());
  static_cast<void>(a.next());
  ClientKey moved = std::move(a);
  CHECK(moved.next() == b.next());
  CHECK_THROWS_AS(a.next(), std::logic_error);  // NOLINT(bugprone-use-after-move)
  a = std::move(moved);
  CHECK(a.next() == b.next());
  CHECK_THROWS_AS(moved.next(), std::logic_error);  // NOLINT(bugprone-use-after-move)
}
