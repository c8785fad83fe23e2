#include <fltr/core/aligned_floats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"

namespace {

using fltr::AlignedFloats;

bool aligned(AlignedFloats const& floats) { return reinterpret_cast<std::uintptr_t>(floats.data()) % 64 == 0; }

AlignedFloats counting(std::size_t n) {
  AlignedFloats floats(n);
  std::iota(floats.span().begin(), floats.span().end(), 1.0F);
  return floats;
}

}  // namespace

TEST_CASE("AlignedFloats of every size begin on a 64-byte boundary") {
  for (std::size_t n = 0; n < 70; ++n) {
    AlignedFloats const floats = counting(n);
    CHECK(aligned(floats));
    CHECK(floats.size() == n);
    CHECK(floats.span().size() == n);
  }
}

TEST_CASE("AlignedFloats refuses a size whose bytes a size_t cannot count") {
  std::size_t const most = std::numeric_limits<std::size_t>::max() / sizeof(float);
  CHECK_THROWS_AS(AlignedFloats(most + 1), std::bad_array_new_length);  // 4 (most + 1) is 0
  CHECK_THROWS_AS(AlignedFloats(most + 10), std::bad_array_new_length);
}

TEST_CASE("A copy of AlignedFloats has its own floats") {
  AlignedFloats floats = counting(33);
  AlignedFloats copy = floats;
  CHECK(aligned(copy));
  REQUIRE(copy.data() != floats.data());
  floats.data()[5] = -1.0F;
  CHECK(copy.data()[5] == 6.0F);
  CHECK(copy.data()[32] == 33.0F);

  AlignedFloats assigned = counting(2);
  assigned = copy;
  copy.data()[0] = -1.0F;
  CHECK(assigned.size() == 33);
  CHECK(assigned.data()[0] == 1.0F);
  auto const& same = assigned;
  assigned = same;
  CHECK(assigned.data()[32] == 33.0F);
}

TEST_CASE("A move of AlignedFloats copies no float and leaves the source empty") {
  STATIC_REQUIRE(std::is_nothrow_move_constructible_v<AlignedFloats>);
  AlignedFloats floats = counting(10);
  float const* const at = floats.data();
  AlignedFloats moved = std::move(floats);
  CHECK(moved.data() == at);
  CHECK(floats.size() == 0);  // NOLINT(bugprone-use-after-move): promised
  AlignedFloats target;
  target = std::move(moved);
  CHECK(target.data() == at);
  CHECK(target.size() == 10);
}

TEST_CASE("AlignedFloats keep the owner of their memory alive; a copy does not") {
  struct alignas(64) Page {
    float values[16] = {1, 2, 3};
  };
  auto page = std::make_shared<Page>();
  std::weak_ptr<Page> const watch = page;
  AlignedFloats floats(std::shared_ptr<float>(page, page->values), 16);
  page.reset();
  CHECK(!watch.expired());
  CHECK(floats.data()[2] == 3.0F);
  AlignedFloats const copy = floats;
  floats = AlignedFloats();
  CHECK(watch.expired());
  CHECK(copy.data()[2] == 3.0F);
}

TEST_CASE("AlignedFloats of size 0 can be copied and moved") {
  AlignedFloats none;
  AlignedFloats copy = none;
  AlignedFloats const moved = std::move(copy);
  CHECK(none.size() == 0);
  CHECK(moved.size() == 0);
  CHECK(none.span().empty());
}

TEST_CASE("AlignedFloats of 4 MB and more begin on the boundary of a huge page; smaller ones on 64 bytes") {
  for (std::size_t const size : {std::size_t{1} << 20U, (std::size_t{1} << 20U) - 1, (std::size_t{3} << 20U) + 5}) {
    AlignedFloats floats(size);
    std::size_t const boundary = size >= std::size_t{1} << 20U ? std::size_t{1} << 21U : 64;
    CHECK(reinterpret_cast<std::uintptr_t>(floats.data()) % boundary == 0);
    std::ranges::fill(floats.span(), 2.0F);
    CHECK(std::ranges::count(floats.span(), 2.0F) == static_cast<std::ptrdiff_t>(size));
    AlignedFloats const copy = floats;
    CHECK(copy.data()[size - 1] == 2.0F);
  }
}
