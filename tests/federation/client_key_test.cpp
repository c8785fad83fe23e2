#include <fltr/federation/client_key.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/after_destruction.hpp"
#include "support/catch.hpp"

namespace {

using fltr::ClientKey;
using fltr::Key256;
using fltr::testing::bytes_after_destruction;
using fltr::testing::contains;
using fltr::testing::touched;

}  // namespace

static_assert(!std::is_copy_constructible_v<ClientKey> && !std::is_copy_assignable_v<ClientKey>,
              "two copies would draw the same noise");

TEST_CASE("Every message and every client has a different key") {
  std::set<Key256> seen;
  auto first = ClientKey::from_system();
  auto second = ClientKey::from_system();
  for (int i = 0; i < 100; ++i) {
    seen.insert(*first.next());
    seen.insert(*second.next());
  }
  CHECK(seen.size() == 200);
}

TEST_CASE("A client that restarts with a stored secret has different keys") {
  auto before = ClientKey::from_secret(Key256{1, 2, 3});
  auto after = ClientKey::from_secret(Key256{1, 2, 3});
  CHECK(before.next() != after.next());
}

TEST_CASE("A forked client and its parent have different keys") {
  auto key = ClientKey::from_system();
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::pid_t const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Key256 const words = *key.next();
    ::_exit(::write(ends[1], words.data(), sizeof words) == sizeof words ? 0 : 1);
  }
  Key256 of_child{};
  REQUIRE(::read(ends[0], of_child.data(), sizeof of_child) == sizeof of_child);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  ::close(ends[0]);
  ::close(ends[1]);
  CHECK(*key.next() != of_child);
}

TEST_CASE("Equal repeatable secrets give equal keys in the same order") {
  auto a = ClientKey::repeatable(Key256{1, 2, 3});
  auto b = ClientKey::repeatable(Key256{1, 2, 3});
  for (int i = 0; i < 3; ++i) CHECK(a.next() == b.next());
}

TEST_CASE("ClientKey::next throws after the key was moved from") {
  auto a = ClientKey::repeatable(Key256{1, 2, 3});
  auto b = ClientKey::repeatable(Key256{1, 2, 3});
  static_cast<void>(b.next());
  static_cast<void>(a.next());
  ClientKey moved = std::move(a);
  CHECK(moved.next() == b.next());
  CHECK_THROWS_AS(a.next(), std::logic_error);  // NOLINT(bugprone-use-after-move)
  a = std::move(moved);
  CHECK(a.next() == b.next());
  CHECK_THROWS_AS(moved.next(), std::logic_error);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("A ClientKey leaves its secret neither where it was destroyed nor where it was moved from") {
  Key256 const secret{11, 12, 13, 14, 15, 16, 17, 18};
  Key256 present{};  // the object while it lives: else the test would look for the wrong bytes
  auto const destroyed = bytes_after_destruction([&] { return ClientKey::repeatable(secret); },
                                                 [&](ClientKey& key) { std::memcpy(&present, &key, sizeof present); });
  CHECK(present == secret);
  CHECK_FALSE(contains(destroyed, secret));

  std::vector<std::byte> moved_from(sizeof(ClientKey));
  static_cast<void>(bytes_after_destruction([&] { return ClientKey::repeatable(secret); },
                                            [&](ClientKey& key) {
                                              ClientKey const other = std::move(key);
                                              touched(&other);
                                              touched(&key);
                                              std::memcpy(moved_from.data(), &key, sizeof key);
                                            }));
  CHECK_FALSE(contains(moved_from, secret));
}
