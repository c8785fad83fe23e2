#include <fltr/core/wipe.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fltr/core/chacha20.hpp>
#include <fltr/core/random.hpp>

#include "support/after_destruction.hpp"
#include "support/catch.hpp"

namespace {

using namespace fltr;
using fltr::testing::bytes_after_destruction;
using fltr::testing::contains;

Key256 const secret{101, 102, 103, 104, 105, 106, 107, 108};

/// Whether the object holds the secret while it lives and not after it was destroyed.
template <class Make>
void check_wiped(Make const& make) {
  bool present = false;
  auto const after = bytes_after_destruction(make, [&](auto& object) {
    std::vector<std::byte> bytes(sizeof object);
    std::memcpy(bytes.data(), static_cast<void const*>(&object), sizeof object);
    present = contains(bytes, secret);
  });
  CHECK(present);
  CHECK_FALSE(contains(after, secret));
}

}  // namespace

TEST_CASE("Keys, streams with a key and everything that holds them are overwritten when they are destroyed") {
  check_wiped([] { return OptionalKey(secret); });
  check_wiped([] { return Stream::secret(secret, {}); });
  check_wiped([] { return Streams{.seed = 1, .round = 2, .client = 3, .key = secret}; });
  check_wiped([] {
    Wiped<Key256> out;
    out.value = secret;
    return out;
  });
}

TEST_CASE("The numbers of a stream with a key are overwritten, and those of a simulation cost nothing") {
  std::uint32_t first[8] = {};
  auto const after = bytes_after_destruction([] { return Stream::secret(secret, {}); },
                                             [&](Stream& stream) {
                                               for (auto& number : first) number = stream();
                                             });
  CHECK_FALSE(contains(after, first));
  auto const fast = bytes_after_destruction([] { return Stream(7); },
                                            [&](Stream& stream) {
                                              for (auto& number : first) number = stream();
                                            });
  CHECK(contains(fast, first));
}

TEST_CASE("A WipedVector overwrites its memory before it returns it, also when it is assigned to") {
  std::vector<Key256> const others(2);
  for (int way = 0; way < 3; ++way) {
    // The memory of the vector is looked at before it is freed: `wipe` leaves an empty vector with the same memory.
    WipedVector<Key256> keys{{secret, secret}};
    Key256 const* const at = keys.items.data();
    fltr::testing::touched(at);
    if (way == 0) wipe(keys.items);
    if (way == 1) keys = WipedVector<Key256>{};                  // by move
    if (way == 2) keys = std::as_const(keys), wipe(keys.items);  // to itself: unchanged, and then wiped
    if (way == 1) continue;                                      // freed
    CHECK(keys.items.empty());
    std::vector<std::byte> memory(2 * sizeof secret);
    std::memcpy(memory.data(), at, memory.size());
    CHECK_FALSE(contains(memory, secret));
  }
}
