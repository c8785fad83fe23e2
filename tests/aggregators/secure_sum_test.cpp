#include <fltr/aggregators/secure_sum.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>

#include "support/after_destruction.hpp"
#include "support/catch.hpp"
#include "support/left_on_stack.hpp"
#include "support/secure_rounds.hpp"

namespace {

using namespace fltr;
using fltr::testing::SecureRounds;

static_assert(SealProtocol<SecureSum<FedAvg>> && SealProtocol<SecureSum<FedAvg, SecureServer::malicious>>);
// The server's half adds masked messages only.
static_assert(SumOf<SecureSum<FedAvg>::Sum, SecureSum<FedAvg>::Wire> && !SumOf<SecureSum<FedAvg>::Sum, LocalWeights>);
static_assert(!SumOf<IdealSum<FedAvg>::Sum, LocalWeights>);
// The aggregator within gets a sum: no function of it takes a masked message.
template <class A, class Wire>
concept Takes = requires(A const& a, Wire const& wire) { a.contribution(wire, std::span<float const>{}); };
static_assert(!Takes<FedAvg, SecureSum<FedAvg>::Wire>);
// Two copies of a client would mask two messages with the same keys.
static_assert(!std::copy_constructible<SealedClient<SecureSum<FedAvg>>> &&
              !std::is_copy_assignable_v<SealedClient<SecureSum<FedAvg>>>);

template <SecureServer S, class Word>
void check_rounds(std::size_t n, SecureSetting setting = {.dropout = 0.3, .corrupt = 0.0}) {
  SecureRounds<S, Word> rounds(n, {}, setting);
  INFO("clients " << n << ", neighbours " << rounds.seal.graph.neighbours);
  auto const all = rounds.run();
  CHECK(all.statistics.reported == n);
  CHECK_FALSE(all.statistics.discarded);
  CHECK(all.weights == rounds.mean([](std::size_t) { return true; }));
  if (n < 7) return;
  // One client is lost in each phase. The one that is lost after its message counts.
  constexpr std::size_t last =
      SecureSum<FedAvg, S, Word>::exchanges_before + SecureSum<FedAvg, S, Word>::exchanges_after;
  std::size_t const apart = n / 7;
  auto const some = rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
    if (to_server && (i == phase * apart) && (phase <= 2 || (phase == last && n >= 10))) letter.clear();
  });
  CHECK(some.statistics.reported == n - 3);
  CHECK_FALSE(some.statistics.discarded);
  CHECK(some.weights == rounds.mean([&](std::size_t i) { return i != 0 && i != apart && i != 2 * apart; }));
}

}  // namespace

TEST_CASE("The sum is exact for 2 to 200 clients, modulo 2^32 and 2^64, also if clients drop out in every phase") {
  for (std::size_t n : {2U, 3U, 4U, 7U, 10U, 50U}) {
    check_rounds<SecureServer::curious, std::uint64_t>(n);
    check_rounds<SecureServer::curious, std::uint32_t>(n);
    check_rounds<SecureServer::malicious, std::uint64_t>(n);
  }
  // Neighbour graphs of 28 and of most of 200 clients.
  check_rounds<SecureServer::curious, std::uint32_t>(200, {.dropout = 0.1, .corrupt = 0.02});
  check_rounds<SecureServer::curious, std::uint64_t>(200, {.dropout = 0.1, .corrupt = 0.02});
  check_rounds<SecureServer::malicious, std::uint32_t>(200, {.dropout = 0.05, .corrupt = 0.01});
}

TEST_CASE("A round with fewer than t answers in a phase is discarded, and the ranker does not change") {
  for (std::size_t lost_phase : {0U, 1U, 2U, 3U}) {
    SecureRounds<> rounds(10, {10, 9, 7});
    rounds.broadcast = {1.0F, 2.0F, 3.0F, 4.0F};
    auto const run = [&](std::size_t lost) {
      return rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
        if (to_server && phase == lost_phase && i < lost) letter.clear();
      });
    };
    CHECK_FALSE(run(3).statistics.discarded);
    auto const discarded = run(4);
    CHECK(discarded.statistics.discarded);
    // Without messages nobody is asked for shares. Else answers that come late can open the sum.
    CHECK(discarded.statistics.unsealing == (lost_phase >= 2));
    CHECK(discarded.weights == rounds.broadcast);
  }
}

TEST_CASE("With fewer messages than minimum_reports the sum is not opened, and clients sign no such list") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  rounds.minimum_reports = 9;
  auto const lose = [&](std::size_t lost) {
    std::size_t signatures = 0;
    auto const outcome = rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 2 && i < lost) letter.clear();
      if (to_server && phase == 3 && !letter.empty()) ++signatures;
    });
    return std::pair{outcome.statistics.discarded, signatures};
  };
  CHECK(lose(1) == std::pair{false, std::size_t{9}});
  CHECK(lose(2) == std::pair{true, std::size_t{0}});
}

TEST_CASE("Clients of a malicious server send no shares if fewer than minimum_reports clients published keys") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  rounds.minimum_reports = 9;
  auto const shares_after = [&](std::size_t lost) {
    std::size_t shares = 0;
    static_cast<void>(rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 0 && i < lost) letter.clear();
      if (to_server && phase == 1 && !letter.empty()) ++shares;
    }));
    return shares;
  };
  CHECK(shares_after(1) == 9);
  CHECK(shares_after(2) == 0);
}

TEST_CASE("Values beyond the range of a client are clamped, so that the sum cannot overflow") {
  FixedPoint const grid{.step = 1.0};
  CHECK(FixedPoint::largest<std::uint32_t>(1000) == 2147483);
  auto const words = grid.words<std::uint32_t>({{1e30, -1e30, 5.0}, 1}, 1000);
  CHECK(words == std::vector<std::uint32_t>{2147483U, static_cast<std::uint32_t>(-2147483), 5U, 1U});
  auto const heavy = grid.words<std::uint32_t>({{1e30, -3.0}, 1000}, 1000);
  CHECK(heavy == std::vector<std::uint32_t>{2147U * 1000U, static_cast<std::uint32_t>(-3000), 1000U});
  std::vector<std::uint32_t> sum(2);
  for (int i = 0; i < 1000; ++i) {
    auto const w = grid.words<std::uint32_t>({{1e30}, 1}, 1000);
    sum[0] += w[0];
    sum[1] += w[1];
  }
  auto const back = grid.sum(std::span<std::uint32_t const>(sum), 1000);
  CHECK(back.values[0] == 2147483000.0);
  CHECK(back.weight == 1000.0);
  CHECK_THROWS_AS((FixedPoint{.step = 0.3}.words<std::uint64_t>({{1.0}, 1}, 1)), std::invalid_argument);
  CHECK_THROWS_AS((FixedPoint{.step = -1.0}.words<std::uint64_t>({{1.0}, 1}, 1)), std::invalid_argument);
}

TEST_CASE("Words round to the nearest step, and the server clips the mean") {
  FixedPoint const grid{.step = 0.25, .clip = 1.0};
  auto const words = grid.words<std::uint64_t>({{0.3, -0.9}, 2}, 10);
  CHECK(words == std::vector<std::uint64_t>{2, static_cast<std::uint64_t>(-8), 2});
  auto const sum = grid.sum(std::span<std::uint64_t const>(words), 1);
  // The mean (.25, −1) has the norm √1.0625.
  CHECK(sum.values[0] / sum.weight == Approx(0.25 / std::sqrt(1.0625)));
  CHECK(sum.values[1] / sum.weight == Approx(-1.0 / std::sqrt(1.0625)));
}

namespace {

namespace letters = fltr::detail::secure;

/// Counts the answers of a phase that are not empty, in a round whose server sends changed questions.
template <class Rounds, class Change>
std::size_t answers_in(Rounds const& rounds, std::size_t phase, Change const& change) {
  std::size_t count = 0;
  auto const outcome = rounds.run([&](bool to_server, std::size_t at, std::size_t i, Letter& letter) {
    if (!to_server) change(at, i, letter);
    if (to_server && at == phase && !letter.empty()) ++count;
  });
  CHECK(outcome.statistics.discarded);
  CHECK(outcome.weights == rounds.broadcast);
  return count;
}

}  // namespace

TEST_CASE("Clients of a malicious server sign no list with too few survivors, and reveal nothing if lists differ") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  rounds.minimum_reports = 8;
  auto const list = [](std::vector<std::uint8_t> const& bits) {
    return letters::to_letter(letters::survivors_kind, bits);
  };
  // Seven survivors, eleven clients, and a list without the client itself.
  CHECK(answers_in(rounds, 3, [&](std::size_t at, std::size_t, Letter& letter) {
          if (at == 3) letter = list({0x7F, 0});
        }) == 0);
  CHECK(answers_in(rounds, 3, [&](std::size_t at, std::size_t, Letter& letter) {
          if (at == 3) letter = list({0xFF, 7});
        }) == 0);
  CHECK(answers_in(rounds, 3, [&](std::size_t at, std::size_t i, Letter& letter) {
          if (at == 3)
            letter = list(i < 8 ? std::vector<std::uint8_t>{static_cast<std::uint8_t>(0xFFU ^ (1U << i)), 3}
                                : std::vector<std::uint8_t>{0xFF, static_cast<std::uint8_t>(3U ^ (1U << (i - 8)))});
        }) == 0);
  // Five clients are told that the last one dropped out. They sign, and nobody gets seven signatures on one list.
  CHECK(answers_in(rounds, 4, [&](std::size_t at, std::size_t i, Letter& letter) {
          if (at == 3 && i < 5) letter = list({0xFF, 1});
        }) == 0);
}

TEST_CASE("Signatures of colluding clients that are not on the list of survivors do not count") {
  // Messages of the last two clients are lost. Client 0 needs six more signatures on its list.
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  using Roster = letters::Roster<SecureServer::malicious>;
  auto const reveals = [&](std::size_t survivors, std::size_t absent) {
    letters::Bytes32 root{};
    std::vector<std::uint8_t> list;
    bool revealed = false;
    static_cast<void>(rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 2 && i >= 8) letter.clear();
      if (i != 0) return;
      if (!to_server && phase == 1) root = letters::from_letter<Roster>(letters::roster_kind, letter).root;
      if (!to_server && phase == 3)
        list = letters::from_letter<std::vector<std::uint8_t>>(letters::survivors_kind, letter);
      if (!to_server && phase == 4) {
        letters::ListSignatures signatures;
        auto const digest = letters::list_digest(root, list);
        for (std::size_t k = 1; k < 10; ++k) {
          if (k < 8 ? k > survivors : k >= 8 + absent) continue;
          signatures.ids.push_back(rounds.asked[k]);
          signatures.signatures.push_back(rounds.seal.identities.sign(rounds.asked[k], digest));
        }
        letter = letters::to_letter(letters::signatures_kind, signatures);
      }
      if (to_server && phase == 4) revealed = !letter.empty();
    }));
    return revealed;
  };
  CHECK(reveals(6, 0));
  CHECK(reveals(6, 2));
  CHECK_FALSE(reveals(5, 0));
  CHECK_FALSE(reveals(5, 2));
  CHECK_FALSE(reveals(4, 2));
}

TEST_CASE("Clients of a malicious server refuse keys and graphs that do not follow from the root") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  using Roster = letters::Roster<SecureServer::malicious>;
  auto const refused = [&](auto const& forge) {
    return answers_in(rounds, 1, [&](std::size_t at, std::size_t i, Letter& letter) {
      if (at != 1) return;
      auto roster = letters::from_letter<Roster>(letters::roster_kind, letter);
      forge(roster, i);
      letter = letters::to_letter(letters::roster_kind, roster);
    });
  };
  CHECK(refused([](Roster& r, std::size_t) { r.root[0] ^= 1; }) == 0);
  CHECK(refused([](Roster& r, std::size_t) { r.leaves[3][5] ^= 1; }) == 0);
  CHECK(refused([](Roster& r, std::size_t) { r.neighbours.pop_back(); }) == 0);  // hides a neighbour
  CHECK(refused([](Roster& r, std::size_t) { r.neighbours[2].mask_key[7] ^= 1; }) == 0);
  CHECK(refused([](Roster& r, std::size_t) { r.neighbours[2].signature[7] ^= 1; }) == 0);
  CHECK(refused([](Roster& r, std::size_t) { std::swap(r.neighbours[0], r.neighbours[1]); }) == 0);
  CHECK(refused([](Roster& r, std::size_t) { r.neighbours.clear(), r.leaves.clear(); }) == 0);
}

TEST_CASE("Keys of another attempt, another round and another model are refused") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  Letter keys;
  auto const first = [&](auto const& of) {
    static_cast<void>(of.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 0 && i == 2) keys = letter;
    }));
  };
  auto const replayed = [&] {
    return rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 0 && i == 2) letter = keys;
    });
  };
  auto other = rounds;
  first(other);
  CHECK(replayed().statistics.rejected == 0);  // the same letter
  other.attempt = 1;
  first(other);
  CHECK(replayed().statistics.rejected == 1);
  other = rounds;
  other.number = 2;
  first(other);
  CHECK(replayed().statistics.rejected == 1);
  other = rounds;
  other.broadcast[1] = 1.0F;
  first(other);
  CHECK(replayed().statistics.rejected == 1);
  CHECK(replayed().weights == rounds.mean([](std::size_t i) { return i != 2; }));
}

TEST_CASE("A client reveals shares once, and keeps no secret afterwards") {
  SecureRounds<> rounds(4, {4, 3, 3}, {.dropout = 0.0, .corrupt = 0.0});
  using Seal = SecureRounds<>::Seal;
  std::vector<Seal::Secret> secrets(4);
  Seal::Record record;
  auto const exchange = [&](std::size_t phase) {
    for (std::size_t i = 0; i < 4; ++i) {
      auto const question = rounds.seal.ask(phase, record, rounds.asked[i], rounds.round());
      CHECK(rounds.seal.receive(phase, record, rounds.asked[i],
                                rounds.seal.answer(phase, secrets[i], question, rounds.context(i)), rounds.round()));
    }
    rounds.seal.answered(phase, record, rounds.asked, rounds.round());
  };
  exchange(0);
  exchange(1);
  for (std::size_t i = 0; i < 4; ++i) {
    auto const question = rounds.seal.ask(2, record, rounds.asked[i], rounds.round());
    CHECK(rounds.seal.accepts(rounds.seal.seal(rounds.message(i), secrets[i], question, rounds.context(i)), record,
                              rounds.asked[i], rounds.round()));
    CHECK(secrets[i].polynomial.bytes == letters::Bytes32{});   // wiped as soon as the shares are made
    CHECK(secrets[i].mask_secret.bytes == letters::Bytes32{});  // wiped as soon as the message is masked
    CHECK(secrets[i].seed.bytes == letters::Bytes32{});
    // A second message under the same masks would reveal the difference of two messages.
    CHECK(rounds.seal.seal(rounds.message(i), secrets[i], question, rounds.context(i)).words.empty());
  }
  rounds.seal.reported(record, rounds.asked, rounds.round());
  auto const question = rounds.seal.ask(3, record, rounds.asked[0], rounds.round());
  CHECK_FALSE(rounds.seal.answer(3, secrets[0], question, rounds.context(0)).empty());
  CHECK(secrets[0].shares.items.empty());
  CHECK(rounds.seal.answer(3, secrets[0], question, rounds.context(0)).empty());
  CHECK(rounds.seal.answer(0, secrets[0], {}, rounds.context(0)).empty());  // and takes part in no second round
}

TEST_CASE("A client of a malicious server signs no list with a neighbour that was hidden from it") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  using Seal = SecureRounds<SecureServer::malicious>::Seal;
  for (bool const hides : {false, true}) {
    std::vector<Seal::Secret> secrets(10);
    Seal::Record record;
    for (std::size_t phase = 0; phase < 2; ++phase) {
      for (std::size_t i = 0; i < 10; ++i) {
        auto const question = rounds.seal.ask(phase, record, rounds.asked[i], rounds.round());
        CHECK(rounds.seal.receive(phase, record, rounds.asked[i],
                                  rounds.seal.answer(phase, secrets[i], question, rounds.context(i)), rounds.round()));
      }
      rounds.seal.answered(phase, record, rounds.asked, rounds.round());
    }
    auto partners = letters::from_letter<letters::Partners>(
        letters::partners_kind, rounds.seal.ask(2, record, rounds.asked[0], rounds.round()));
    if (hides) {
      partners.ids.pop_back();
      partners.ciphers.resize(partners.ids.size() * letters::cipher_size);
    }
    auto const wire = rounds.seal.seal(rounds.message(0), secrets[0],
                                       letters::to_letter(letters::partners_kind, partners), rounds.context(0));
    CHECK_FALSE(wire.words.empty());
    rounds.seal.reported(record, rounds.asked, rounds.round());
    auto const list = rounds.seal.ask(3, record, rounds.asked[0], rounds.round());
    CHECK(rounds.seal.answer(3, secrets[0], list, rounds.context(0)).empty() == hides);
  }
}

TEST_CASE("With fewer messages than minimum_reports no client is asked for shares") {
  SecureRounds<> rounds(10, {10, 9, 7});
  rounds.minimum_reports = 9;
  std::size_t questions = 0;
  auto const outcome = rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
    if (to_server && phase == 2 && i < 2) letter.clear();
    if (phase > 2) ++questions;
  });
  CHECK(outcome.statistics.discarded);
  CHECK_FALSE(outcome.statistics.unsealing);
  CHECK(questions == 0);
}

TEST_CASE(
    "A contribution of another size than the broadcast model is an error, and the client can still seal another") {
  struct OneMore : FedAvg {
    std::size_t more = 0;
    Contribution contribution(LocalWeights const& message, std::span<float const> broadcast) const {
      auto out = FedAvg::contribution(message, broadcast);
      out.values.resize(out.values.size() + more);
      return out;
    }
  };
  SecureRounds<> const rounds(2);
  using Seal = SecureSum<OneMore>;
  Seal seal{.setting = rounds.seal.setting, .grid = {.step = 1.0}};
  Seal::Record record;
  std::vector<Seal::Secret> secrets(2);
  for (std::size_t phase = 0; phase < 2; ++phase) {
    for (std::size_t i = 0; i < 2; ++i) {
      auto const question = seal.ask(phase, record, rounds.asked[i], rounds.round());
      CHECK(seal.receive(phase, record, rounds.asked[i], seal.answer(phase, secrets[i], question, rounds.context(i)),
                         rounds.round()));
    }
    seal.answered(phase, record, rounds.asked, rounds.round());
  }
  auto const question = seal.ask(2, record, rounds.asked[0], rounds.round());
  seal.aggregator.more = 3;
  CHECK_THROWS_WITH(
      seal.seal(rounds.message(0), secrets[0], question, rounds.context(0)),
      "SecureSum: required a contribution of 4 values, one for each shared parameter of the ranker, got 7");
  seal.aggregator.more = 0;
  CHECK(seal.seal(rounds.message(0), secrets[0], question, rounds.context(0)).words.size() == 5);
}

namespace {

/// A malicious server shows each half of the ring a list of survivors without one client of this half. Returns the number
/// of messages in the sum that it opens, or 0.
std::size_t opened_by_halves(SecureGraph const& graph) {
  constexpr auto malicious = SecureServer::malicious;
  std::size_t const n = graph.clients;
  SecureRounds<malicious> rounds(n, graph, {.dropout = 0.0, .corrupt = 0.0});
  rounds.minimum_reports = n - 1;
  using Seal = SecureRounds<malicious>::Seal;
  auto const& seal = rounds.seal;
  auto const& asked = rounds.asked;
  auto const round = rounds.round();
  std::vector<Seal::Secret> secrets(n);
  Seal::Record record;
  for (std::size_t phase = 0; phase < 2; ++phase) {
    for (std::size_t i = 0; i < n; ++i) {
      auto const answer = seal.answer(phase, secrets[i], seal.ask(phase, record, asked[i], round), rounds.context(i));
      REQUIRE(seal.receive(phase, record, asked[i], answer, round));
    }
    seal.answered(phase, record, asked, round);
  }
  std::vector<Seal::Wire> wires;
  for (std::size_t i = 0; i < n; ++i)
    wires.push_back(seal.seal(rounds.message(i), secrets[i], seal.ask(2, record, asked[i], round), rounds.context(i)));

  std::vector<std::uint32_t> order(n);  // indices around the ring
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
  if (!graph.complete())
    record.ring.fields([&](auto const&, auto const& around, auto const&, auto const&) {
      order = around;
      return 0;
    });
  std::size_t const middle[2] = {order[n / 4], order[3 * n / 4]};
  std::vector<std::size_t> half_of(n);
  for (std::size_t place = 0; place < n; ++place) half_of[order[place]] = place < n / 2 ? 0 : 1;

  Seal::Record views[2] = {record, record};
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<ClientId> survivors;
    for (std::size_t i = 0; i < n; ++i)
      if (i != middle[half]) survivors.push_back(asked[i]);
    seal.reported(views[half], survivors, round);
  }
  for (std::size_t i = 0; i < n; ++i) {
    auto& view = views[half_of[i]];
    auto const signature = seal.answer(3, secrets[i], seal.ask(3, view, asked[i], round), rounds.context(i));
    if (!signature.empty()) CHECK(seal.receive(3, view, asked[i], signature, round));
  }
  std::vector<ClientId> kept;
  Seal::Sum sum;
  std::vector<double> expected(rounds.broadcast.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (i == middle[0] || i == middle[1]) continue;
    kept.push_back(asked[i]);
    sum.add(wires[i]);
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += static_cast<double>(rounds.values[i][k]);
  }
  Seal::Record last = record;
  seal.reported(last, kept, round);
  for (std::size_t i = 0; i < n; ++i) {
    auto const shares = seal.answer(4, secrets[i], seal.ask(4, views[half_of[i]], asked[i], round), rounds.context(i));
    if (!shares.empty()) CHECK(seal.receive(4, last, asked[i], shares, round));
  }
  if (!seal.open(sum, last, round)) return 0;
  CHECK(seal.grid.sum(std::span<std::uint64_t const>(sum.total), sum.count).values == expected);
  return sum.count;
}

}  // namespace

TEST_CASE("A malicious server that shows two lists opens too small a sum on a neighbour graph, which the seal states") {
  constexpr SecureGraph ring{32, 6, 4};
  constexpr SecureGraph all_pairs{32, 31, 17};
  CHECK(opened_by_halves(ring) == 30);  // where 31 were required
  CHECK(opened_by_halves(all_pairs) == 0);
  SecureSetting const setting{.dropout = 0.0, .corrupt = 0.0};
  using Seal = SecureSum<FedAvg, SecureServer::malicious>;
  CHECK_FALSE(Seal{.setting = setting, .graph = ring}.partial_sums(32).empty());
  CHECK(Seal{.setting = setting, .graph = all_pairs}.partial_sums(32).empty());
  CHECK(Seal{.setting = setting, .graph = ring}.partial_sums(31).empty());  // 31 clients have the complete graph
  CHECK(SecureSum<FedAvg>{.setting = setting, .graph = ring}.partial_sums(32).empty());
}

TEST_CASE("A client reveals shares only if at least t holders of each client's shares are left, itself included") {
  // Complete graph of ten clients with t = 7: six other survivors are enough, five are not. Neighbour graph with four
  // neighbours and t = 2: two surviving neighbours are enough, one is not.
  struct Case {
    SecureGraph graph;
    unsigned enough;  // surviving partners
  };
  for (Case const& of : {Case{{10, 9, 7}, 6}, Case{{10, 4, 2}, 2}}) {
    SecureRounds<> rounds(10, of.graph, {.dropout = 0.0, .corrupt = 0.0});
    auto const answers = [&](unsigned survivors) {
      std::size_t count = 0;
      static_cast<void>(rounds.run([&](bool to_server, std::size_t phase, std::size_t, Letter& letter) {
        if (!to_server && phase == 3) {
          auto bits = letters::from_letter<std::vector<std::uint8_t>>(letters::survivors_kind, letter);
          unsigned left = survivors;
          for (std::size_t i = 0; i < of.graph.neighbours; ++i) {
            bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] & ~(1U << (i % 8)));
            if (left > 0) letters::set_bit(bits, i), --left;
          }
          letter = letters::to_letter(letters::survivors_kind, bits);
        }
        if (to_server && phase == 3 && !letter.empty()) ++count;
      }));
      return count;
    };
    CHECK(answers(of.enough) == 10);
    CHECK(answers(of.enough - 1) == 0);
  }
}

TEST_CASE("A client of a malicious server reveals nothing with t - 1 signatures, its own included") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  for (std::size_t const others : {5U, 6U}) {
    std::size_t count = 0;
    static_cast<void>(rounds.run([&](bool to_server, std::size_t phase, std::size_t, Letter& letter) {
      if (!to_server && phase == 4) {
        auto list = letters::from_letter<letters::ListSignatures>(letters::signatures_kind, letter);
        list.ids.resize(others);
        list.signatures.resize(others);
        letter = letters::to_letter(letters::signatures_kind, list);
      }
      if (to_server && phase == 4 && !letter.empty()) ++count;
    }));
    CHECK(count == (others == 6 ? 10 : 0));
  }
}

TEST_CASE("A client of a malicious server signs no list with a client that published no keys") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  rounds.minimum_reports = 9;
  for (bool const lies : {false, true}) {
    std::size_t signatures = 0;
    static_cast<void>(rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 0 && i == 9) letter.clear();  // never took part
      if (!to_server && phase == 3 && lies)                   // the last one in the place of client 8
        letter = letters::to_letter(letters::survivors_kind, std::vector<std::uint8_t>{0xFF, 2});
      if (to_server && phase == 3 && !letter.empty()) ++signatures;
    }));
    CHECK(signatures == (lies ? 0 : 9));
  }
}

TEST_CASE("A client of a malicious server refuses a list of clients that has an id twice") {
  // Seven clients answer. The server names an eighth three times, and gives two of the copies keys: the places in the list
  // then look like nine clients.
  constexpr auto malicious = SecureServer::malicious;
  auto const refused = [](std::vector<ClientId> const& ids, std::size_t real) {
    Identities const identities = Identities::simulated(ids);
    letters::RoundTerms const terms{{10, 9, 7}, {}};
    std::vector<float> const broadcast(1);
    std::vector<letters::ClientSecret<malicious>> secrets(real);
    std::vector<SealContext> contexts;
    letters::Roster<malicious> all;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i < real) {
        contexts.push_back({{1, ids, broadcast, 9}, ids[i], 1, Streams{.seed = 1, .round = 1, .client = ids[i]}});
        letters::SecureClient<malicious> client(secrets[i], terms, contexts[i], identities);
        all.neighbours.push_back(
            letters::from_letter<letters::RoundKeys<malicious>>(letters::keys_kind, client.keys()));
        all.leaves.push_back(letters::leaf_of(terms, all.neighbours.back()));
      } else {
        all.leaves.push_back({});
        if (i > real) all.leaves.back().fill(0x5A);
      }
    }
    all.root = letters::root_of(terms, ids, all.leaves);
    std::size_t count = 0;
    for (std::size_t i = 0; i < real; ++i) {
      auto roster = all;
      roster.neighbours.erase(roster.neighbours.begin() + static_cast<std::ptrdiff_t>(i));
      letters::SecureClient<malicious> client(secrets[i], terms, contexts[i], identities);
      count += client.shares(letters::to_letter(letters::roster_kind, roster)).empty() ? std::size_t{1} : 0;
    }
    return count;
  };
  CHECK(refused({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10) == 0);
  CHECK(refused({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 9) == 0);
  CHECK(refused({0, 1, 2, 3, 4, 5, 6, 900, 900, 900}, 7) == 7);
}

TEST_CASE("A client accepts at most k neighbours, and only in ascending order and without itself") {
  SecureRounds<> rounds(10, {10, 4, 2}, {.dropout = 0.0, .corrupt = 0.0});
  using Roster = letters::Roster<SecureServer::curious>;
  std::vector<letters::RoundKeys<SecureServer::curious>> keys(10);
  auto const accepted = [&](auto const& forge) {
    std::size_t count = 0;
    static_cast<void>(rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 0)
        keys[i] = letters::from_letter<letters::RoundKeys<SecureServer::curious>>(letters::keys_kind, letter);
      if (!to_server && phase == 1) {
        auto roster = letters::from_letter<Roster>(letters::roster_kind, letter);
        forge(roster, i);
        letter = letters::to_letter(letters::roster_kind, roster);
      }
      if (to_server && phase == 1 && !letter.empty()) ++count;
    }));
    return count;
  };
  /// Adds a client that is no neighbour, in its place.
  auto const add_one = [&](Roster& roster, std::size_t i) {
    for (auto const& one : keys)
      if (one.client != rounds.asked[i] && std::ranges::none_of(roster.neighbours, [&](auto const& neighbour) {
            return neighbour.client == one.client;
          })) {
        roster.neighbours.push_back(one);
        break;
      }
    std::ranges::sort(roster.neighbours, {}, &letters::RoundKeys<SecureServer::curious>::client);
  };
  CHECK(accepted([](Roster&, std::size_t) {}) == 10);
  CHECK(accepted(add_one) == 0);
  // Another client in the place of a neighbour: a client of a server that follows the protocol does not check the graph.
  CHECK(accepted([&](Roster& roster, std::size_t i) { roster.neighbours.pop_back(), add_one(roster, i); }) == 10);
  CHECK(accepted([](Roster& r, std::size_t) { std::swap(r.neighbours[0], r.neighbours[1]); }) == 0);
  CHECK(accepted([](Roster& r, std::size_t) { r.neighbours[1] = r.neighbours[0]; }) == 0);
  CHECK(accepted([&](Roster& r, std::size_t i) {
          r.neighbours[0] = keys[i];
          std::ranges::sort(r.neighbours, {}, &letters::RoundKeys<SecureServer::curious>::client);
        }) == 0);
}

TEST_CASE("A client of a secure sum leaves no key on the stack, and no secret where it was destroyed") {
  constexpr auto malicious = SecureServer::malicious;
  using Seal = SecureRounds<malicious>::Seal;
  SecureRounds<malicious> const rounds(4, {4, 3, 3}, {.dropout = 0.0, .corrupt = 0.0});
  auto const& seal = rounds.seal;
  auto const& asked = rounds.asked;
  auto const round = rounds.round();
  Key256 const key{0x12345678U, 0x23456789U, 0x3456789AU, 0x456789ABU,
                   0x56789ABCU, 0x6789ABCDU, 0x789ABCDEU, 0x89ABCDEFU};
  auto const context_of = [&](std::size_t i) {
    auto context = std::make_unique<SealContext>(rounds.context(i));
    Key256 own = key;
    own[0] += static_cast<std::uint32_t>(i);
    context->streams.key = own;
    return context;
  };
  std::vector<Seal::Secret> secrets(4);
  Seal::Record record;
  std::vector<letters::Bytes32> known;  // of client 0
  for (std::size_t phase = 0; phase < Seal::exchanges_before + 1 + Seal::exchanges_after; ++phase) {
    for (std::size_t i = 0; i < 4; ++i) {
      auto const question = seal.ask(phase, record, asked[i], round);
      auto const context = context_of(i);
      if (i == 0 && phase == 2) {
        // The keys of the masks, which are computed while the message is masked.
        known.push_back(letters::self_key(secrets[0].seed, secrets[0].root, asked[0]).bytes);
        for (std::size_t other = 1; other < 4; ++other) {
          letters::Key32 common;
          REQUIRE(letters::x25519_agree(secrets[0].mask_secret, secrets[other].own.mask_key, common));
          known.push_back(common.bytes);
          known.push_back(letters::pair_key(common, secrets[0].root, asked[0], asked[other]).bytes);
          letters::Key32 const shares(secrets[0].common.items[other - 1]);
          known.push_back(letters::cipher_key(shares, secrets[0].root, asked[other], asked[0]).bytes);
        }
      }
      Letter answer;
      Seal::Wire wire;
      auto const left = fltr::testing::left_on_stack([&] {
        if (phase == 2)
          wire = seal.seal(rounds.message(i), secrets[i], question, *context);
        else
          answer = seal.answer(phase, secrets[i], question, *context);
      });
      if (i == 0) {
        if (phase == 0)
          for (auto const* one :
               {&secrets[0].mask_secret, &secrets[0].share_secret, &secrets[0].seed, &secrets[0].polynomial})
            known.push_back(one->bytes);
        if (phase == 1)
          for (auto const& one : secrets[0].common.items) known.push_back(one);
        CHECK_FALSE(fltr::testing::contains(left, *context->streams.key));
        for (auto const& one : known) CHECK_FALSE(fltr::testing::contains(left, one));
      }
      if (phase == 2)
        CHECK(seal.accepts(wire, record, asked[i], round));
      else
        CHECK(seal.receive(phase, record, asked[i], answer, round));
    }
    if (phase == 2)
      seal.reported(record, asked, round);
    else
      seal.answered(phase, record, asked, round);
  }

  // A SealedClient: it is destroyed, and the place from which it was moved.
  std::vector<letters::Bytes32> drawn;
  {
    Seal::Secret same;  // what the client draws
    static_cast<void>(seal.answer(0, same, {}, *context_of(0)));
    for (auto const* one : {&same.mask_secret, &same.share_secret, &same.seed, &same.polynomial})
      drawn.push_back(one->bytes);
  }
  std::vector<std::byte> alive;
  std::vector<std::byte> moved_from;
  auto account = fltr::testing::generous_account();
  auto const destroyed = fltr::testing::bytes_after_destruction(
      [&] { return SealedClient<Seal>(seal, *context_of(0), account); },
      [&](SealedClient<Seal>& client) {
        CHECK_FALSE(client.answer({}).empty());
        auto const bytes = [&] {
          auto const* const at = reinterpret_cast<std::byte const*>(&client);
          return std::vector<std::byte>(at, at + sizeof client);
        };
        alive = bytes();
        SealedClient<Seal> const other = std::move(client);
        fltr::testing::touched(&client);
        moved_from = bytes();
        CHECK_THROWS_AS(client.answer({}), std::invalid_argument);  // NOLINT(bugprone-use-after-move)
      });
  for (auto const& one : drawn) {
    CHECK(fltr::testing::contains(alive, one));
    CHECK_FALSE(fltr::testing::contains(moved_from, one));
    CHECK_FALSE(fltr::testing::contains(destroyed, one));
  }
  CHECK(fltr::testing::contains(alive, key));
  CHECK_FALSE(fltr::testing::contains(moved_from, key));
  CHECK_FALSE(fltr::testing::contains(destroyed, key));
}
