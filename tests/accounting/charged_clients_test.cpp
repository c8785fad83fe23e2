#include <fltr/accounting/charged_clients.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/detail/client_numbers.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::ChargedClients;
using fltr::Stream;
using fltr::detail::ClientNumbers;

std::vector<std::uint32_t> positions(ChargedClients const& charged) {
  std::vector<std::uint32_t> out;
  charged.for_each([&](std::uint32_t i) { out.push_back(i); });
  return out;
}

ChargedClients of(std::vector<std::uint32_t> const& positions) {
  ChargedClients out = ChargedClients::none();
  for (auto const i : positions) out.add(i);
  return out;
}

/// Choices of n clients: none, few, runs that end inside and at the end of chunks, most, all.
std::vector<std::vector<std::uint32_t>> choices(std::uint32_t n, Stream& stream) {
  std::vector<std::vector<std::uint32_t>> out(1);
  for (double const rate : {0.0005, 0.5, 0.999}) {
    out.emplace_back();
    for (std::uint32_t i = 0; i < n; ++i)
      if (stream.bernoulli(rate)) out.back().push_back(i);
  }
  for (auto const& [from, to] : {std::pair{0U, n}, std::pair{0U, 4096U}, std::pair{4096U, n}, std::pair{0U, 5000U},
                                 std::pair{4095U, 8193U}, std::pair{n - 1, n}}) {
    out.emplace_back();
    for (std::uint32_t i = from; i < to; ++i) out.back().push_back(i);
  }
  return out;
}

}  // namespace

TEST_CASE("A choice of clients gives its positions back, and knows whether it has all") {
  constexpr std::uint32_t n = 10'000;
  Stream stream(81);
  for (auto const& choice : choices(n, stream)) {
    auto const charged = of(choice);
    CHECK(positions(charged) == choice);
    CHECK(charged.count() == choice.size());
    CHECK_FALSE(charged.all());
    CHECK(charged.all_of(n) == (choice.size() == n));
  }
  CHECK(ChargedClients{}.all());
  CHECK(ChargedClients{}.all_of(n));
  CHECK(positions({3, 7}) == std::vector<std::uint32_t>{3, 7});
  auto charged = ChargedClients::none();
  charged.add(4);
  CHECK_THROWS_WITH(charged.add(4), "ChargedClients::add: required a position that rises, got 4");
}

TEST_CASE("A choice takes no bits for a chunk that it has as a whole, and at most one bit per client") {
  std::vector<std::uint32_t> all(1'000'000);
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  auto const whole = of(all);
  for (auto const& chunk : whole.chunks()) CHECK(chunk.bits.empty());
  auto const few = of({5, 3'000'000'000U});
  CHECK(few.chunks().size() == 2);  // of 732,422
  for (auto const& chunk : few.chunks()) CHECK(chunk.bits.size() == 64);
}

TEST_CASE("Numbers of clients change like those in a plain list") {
  constexpr std::uint32_t n = 10'000;
  Stream stream(82);
  ClientNumbers numbers;
  std::vector<std::uint32_t> plain(n);
  std::map<std::uint32_t, std::uint32_t> next;
  std::uint32_t largest = 0;
  auto const check = [&] {
    bool equal = true;
    for (std::uint32_t i = 0; i < n; ++i) equal = equal && numbers[i] == plain[i];
    std::vector<std::uint32_t> visited;
    numbers.for_each(n, [&](std::uint64_t first, std::uint64_t count, std::uint32_t number) {
      equal = equal && first == visited.size();
      visited.insert(visited.end(), count, number);
    });
    CHECK(equal);
    CHECK(visited == plain);
    CHECK(numbers.consistent(n));
    CHECK_FALSE(numbers.consistent(4096));
  };
  for (int repeat = 0; repeat < 6; ++repeat)
    for (auto const& choice : choices(n, stream)) {
      next.clear();
      std::uint64_t moved = 0;
      numbers.change(of(choice), n, [&](std::uint32_t from, std::uint32_t count) {
        moved += count;
        if (auto const [entry, is_new] = next.emplace(from, largest + 1); is_new) largest += repeat < 5 ? 1 : 20;
        return next.at(from);
      });
      CHECK(moved == choice.size());
      for (auto const i : choice) plain[i] = next.at(plain[i]);
      std::map<std::uint32_t, bool> seen;
      numbers.for_each(of(choice), [&](std::uint32_t number) { seen[number] = true; });
      std::map<std::uint32_t, bool> expected;
      for (auto const i : choice) expected[plain[i]] = true;
      CHECK(seen == expected);
      if (!choice.empty()) check();
    }
  CHECK(largest > 300);  // numbers of 1 to 16 bits
}

TEST_CASE("Clients with the same number take no memory, others the bits of the largest number") {
  constexpr std::uint64_t n = 4'000'000'000;
  auto const bytes = [](ClientNumbers const& numbers) { return fltr::field_bytes(numbers).size(); };
  auto const to = [](std::uint32_t number) { return [number](std::uint32_t, std::uint32_t) { return number; }; };
  ClientNumbers numbers;
  CHECK(bytes(numbers) == 8);
  numbers.change({5, 9}, n, to(0));
  CHECK(bytes(numbers) < 64);  // the same number as before
  numbers.change({7, 3'999'999'999U}, n, to(1));
  CHECK(bytes(numbers) < 2 * (4096 / 8 + 40));  // a bit for each client of two chunks
  CHECK(numbers[7] == 1);
  CHECK(numbers[3'999'999'999U] == 1);
  CHECK(numbers[8] == 0);

  std::vector<std::uint32_t> half(500'000);
  for (std::uint32_t i = 0; i < half.size(); ++i) half[i] = i;
  ClientNumbers of_million;
  of_million.change(of(half), 1'000'000, to(1));
  CHECK(bytes(of_million) < 500'000 / 4096 * 40 + 4096 / 8 + 100);  // one chunk has both numbers
  std::vector<std::uint32_t> odd;
  for (std::uint32_t i = 1; i < 1'000'000; i += 2) odd.push_back(i);
  for (auto const& [number, bits] : {std::pair{1U, 1U}, {2U, 2U}, {15U, 4U}, {16U, 8U}, {255U, 8U}, {256U, 16U}}) {
    ClientNumbers mixed;
    mixed.change(of(odd), 1'000'000, to(number));
    CHECK(bytes(mixed) < 1'000'000 / 8 * bits + 4096 * bits / 8 + 245 * 40);
    CHECK(mixed[1] == number);
    CHECK(mixed[2] == 0);
  }
}

TEST_CASE("Clients that leave a large number for a small one do not change the number of the others") {
  for (std::uint32_t const before : {2U, 5U, 255U, 300U})
    for (std::uint32_t const after : {0U, 1U, before - 1}) {
      std::vector<std::uint32_t> all(5000);
      for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
      ClientNumbers numbers;
      numbers.change(of(all), all.size(), [&](std::uint32_t, std::uint32_t) { return before; });
      numbers.change({7, 4999}, all.size(), [&](std::uint32_t, std::uint32_t) { return after; });
      std::size_t wrong = 0;
      for (std::uint32_t i = 0; i < all.size(); ++i)
        wrong += numbers[i] == (i == 7 || i == 4999 ? after : before) ? 0U : 1U;
      CHECK(wrong == 0);
    }
}
