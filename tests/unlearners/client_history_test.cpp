#include <fltr/unlearners/client_history.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using fltr::ClientHistory;

namespace {

/// A history with interval 3 and two numbers per record, {round, −round}.
ClientHistory history_of(std::initializer_list<std::uint32_t> rounds) {
  ClientHistory history;
  for (std::uint32_t const round : rounds)
    history.add(round, 3, std::vector{static_cast<float>(round), -static_cast<float>(round)});
  return history;
}

/// The rounds up to 40 of which there is a record. Checks the content of each record.
std::vector<std::uint32_t> rounds_of(ClientHistory const& history) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t round = 0; round <= 40; ++round)
    if (auto const record = history.find(round)) {
      REQUIRE(record->size() == 2);
      CHECK((*record)[0] == static_cast<float>(round));
      CHECK((*record)[1] == -static_cast<float>(round));
      found.push_back(round);
    }
  return found;
}

/// The members of a ClientHistory, in the order of its fields.
struct Forged {
  std::uint32_t interval = 3;
  std::uint32_t width = 2;
  std::vector<std::uint32_t> first{0, 4};
  std::vector<std::uint32_t> before{0, 2};
  std::vector<std::vector<float>> chunks{};
  std::vector<float> values{1, -1, 4, -4, 13, -13};
  auto fields(auto&& visit) { return visit(interval, width, first, before, chunks, values); }
};

/// A record is a view, so a temporary history has no `find`.
template <class History>
concept FindsInTemporary = requires(History (*make)()) { make().find(1); };
static_assert(!FindsInTemporary<ClientHistory> && FindsInTemporary<ClientHistory const&>);

bool consistent(auto const& change) {
  Forged forged;
  change(forged);
  auto const bytes = fltr::field_bytes(forged);
  fltr::FieldReader reader(bytes);
  ClientHistory history;
  reader.read(history);
  return history.consistent();
}

}  // namespace

TEST_CASE("A history finds the records of exactly the rounds that were added") {
  using Rounds = std::vector<std::uint32_t>;
  CHECK(rounds_of({}).empty());
  CHECK(rounds_of(history_of({1, 4, 7})) == Rounds{1, 4, 7});
  CHECK(rounds_of(history_of({7, 10, 22, 25, 37})) == Rounds{7, 10, 22, 25, 37});  // a late and irregular client
  CHECK(history_of({7, 10, 22, 25, 37}).records() == 5);
}

TEST_CASE("A record takes 4 bytes per number, and a run of consecutive kept rounds 8 bytes more") {
  ClientHistory norms;
  for (std::uint32_t k = 0; k < 1000; ++k) norms.add(1 + 10 * k, 10, std::vector{0.5F});
  CHECK(norms.bytes() == 4 * 1000);  // T = 10,000, interval 10
  std::size_t const empty = fltr::field_bytes(ClientHistory{}).size();
  CHECK(fltr::field_bytes(norms).size() == empty + 4 * 1000 + 8);
  CHECK(history_of({1, 4, 7}).bytes() == 4 * 3 * 2);
}

TEST_CASE("A long history is stored in chunks; a copy is independent of the original") {
  // 3 numbers per record: 1,365 records per chunk.
  ClientHistory history;
  for (std::uint32_t k = 0; k < 3000; ++k) {
    if (k == 1500) continue;
    history.add(1 + 2 * k, 2, std::vector{static_cast<float>(k), 0.5F, -static_cast<float>(k)});
  }
  CHECK(history.records() == 2999);
  CHECK(history.bytes() == 2999 * 3 * 4);
  CHECK(history.consistent());
  auto copy = history;
  copy.cut_after(2001);
  CHECK(copy.records() == 1001);
  CHECK(copy.consistent());
  copy.add(2003, 2, std::vector{7.0F, 7.0F, 7.0F});
  CHECK(copy.find(2003)->front() == 7.0F);
  for (std::uint32_t k = 0; k < 3000; ++k) {
    auto const record = history.find(1 + 2 * k);
    REQUIRE(record.has_value() == (k != 1500));
    if (record) REQUIRE(record->back() == -static_cast<float>(k));
  }
  auto const bytes = fltr::field_bytes(history);
  fltr::FieldReader reader(bytes);
  ClientHistory again;
  reader.read(again);
  CHECK(fltr::testing::same_bits(again, history));
  CHECK(again.find(5999)->front() == 2999.0F);
}

TEST_CASE("cut_after removes the records of later rounds") {
  auto const whole = history_of({7, 10, 22, 25, 37});
  for (auto const& [last, expected] :
       std::initializer_list<std::pair<std::uint32_t, ClientHistory>>{{40, whole},
                                                                      {36, history_of({7, 10, 22, 25})},
                                                                      {22, history_of({7, 10, 22})},
                                                                      {21, history_of({7, 10})},
                                                                      {7, history_of({7})},
                                                                      {6, ClientHistory{}},
                                                                      {0, ClientHistory{}}}) {
    auto cut = whole;
    cut.cut_after(last);
    CHECK(fltr::testing::same_bits(cut, expected));
    CHECK(cut.consistent());
  }
}

TEST_CASE("A history refuses rounds that are not kept or do not increase, and records of another size or interval") {
  auto history = history_of({4, 7});
  std::vector const record{1.0F, 2.0F};
  CHECK_THROWS_WITH(history.add(9, 3, record), "ClientHistory::add: required a kept round, got 9");
  CHECK_THROWS_WITH(history.add(7, 3, record), "ClientHistory::add: required a round after the last record, got 7");
  CHECK_THROWS_WITH(history.add(1, 3, record), "ClientHistory::add: required a round after the last record, got 1");
  CHECK_THROWS_WITH(history.add(11, 5, record), "ClientHistory::add: required the interval 3, got 5");
  CHECK_THROWS_WITH(history.add(10, 3, std::vector{1.0F}), "ClientHistory::add: required records of 2 numbers, got 1");
  CHECK_THROWS_AS(history.add(0, 3, record), std::invalid_argument);
  CHECK(fltr::testing::same_bits(history, history_of({4, 7})));
}

TEST_CASE("A history that was read is consistent only if its sizes fit together and its numbers are finite") {
  CHECK(consistent([](Forged&) {}));
  CHECK_FALSE(consistent([](Forged& f) { f.interval = 0; }));
  CHECK_FALSE(consistent([](Forged& f) { f.width = 0; }));
  CHECK_FALSE(consistent([](Forged& f) { f.width = 4; }));
  CHECK_FALSE(consistent([](Forged& f) { f.first.pop_back(); }));
  CHECK_FALSE(consistent([](Forged& f) { f.first[1] = 2; }));  // no gap: it would be one run
  CHECK_FALSE(consistent([](Forged& f) { f.first[1] = 0xFFFFFFFFU; }));
  CHECK_FALSE(consistent([](Forged& f) { f.before = {1, 2}; }));
  CHECK_FALSE(consistent([](Forged& f) { f.before = {0, 0}; }));
  CHECK_FALSE(consistent([](Forged& f) { f.before = {0, 3}; }));
  CHECK_FALSE(consistent([](Forged& f) { f.values.clear(); }));
  CHECK_FALSE(consistent([](Forged& f) { f.values[2] = std::numeric_limits<float>::infinity(); }));
  CHECK_FALSE(consistent([](Forged& f) { f = {.first = {}, .before = {}}; }));
  CHECK_FALSE(consistent([](Forged& f) { f.chunks = {{1, -1}}; }));  // a chunk has 4,096 numbers
  CHECK_FALSE(consistent([](Forged& f) { f.values.resize(4096); }));
  CHECK(consistent([](Forged& f) { f.chunks = {std::vector<float>(4096)}; }));
  CHECK_FALSE(consistent([](Forged& f) { f.chunks = {std::vector<float>(4096, std::nanf(""))}; }));
}
