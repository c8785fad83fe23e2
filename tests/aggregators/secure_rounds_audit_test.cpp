// Whole rounds of SecureSum: every choice of dropouts, mutated letters, and what the server sees.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <fltr/aggregators/secure_sum.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/secure_rounds.hpp"

namespace {

using namespace fltr;
using fltr::testing::SecureRounds;

// ---- every choice of dropouts

/// Follows all ways in which up to four of ten clients drop out in the four phases. Letters are computed once for each
/// state of the server.
struct Tree {
  using Rounds = SecureRounds<SecureServer::curious, std::uint32_t>;
  using Server = SealedRound<Rounds::Seal, LocalWeights>;
  using Clients = std::vector<Rounds::Half>;

  Rounds rounds{10, {10, 9, 7}};
  std::size_t exact = 0;
  std::size_t discarded = 0;
  std::size_t wrong = 0;

  void walk(Server const& server, Clients const& clients, unsigned reported, unsigned dropped) {
    if (server.finished()) return check(server, reported, dropped);
    Clients after = clients;
    std::vector<Letter> letters(10);
    for (std::size_t i = 0; i < 10; ++i)
      if (server.waits_for(rounds.asked[i])) {
        Letter const question = server.question(rounds.asked[i]);
        letters[i] = after[i].reply(server.phase(), question);
      }
    for (unsigned lost = 0; lost < 1024; ++lost) {
      if ((lost & dropped) != 0 || std::popcount(lost | dropped) > 4) continue;
      Server next = server;
      for (std::size_t i = 0; i < 10; ++i)
        if (((lost | dropped) >> i & 1U) == 0) next.receive(rounds.asked[i], letters[i]);
      next.next_phase();
      walk(next, after, server.phase() <= 2 ? reported & ~lost : reported, dropped | lost);
    }
  }

  void check(Server server, unsigned reported, unsigned dropped) {
    LinearRanker ranker(4);
    NoState state;
    auto const statistics = server.aggregate(ranker, state);
    auto const expected = rounds.mean([&](std::size_t i) { return (reported >> i & 1U) != 0; });
    bool const right = std::ranges::equal(ranker.parameters(), expected);
    bool const unchanged = std::ranges::equal(ranker.parameters(), rounds.broadcast);
    if (std::popcount(dropped) <= 3 && !statistics.discarded && right)
      ++exact;
    else if (std::popcount(dropped) == 4 && statistics.discarded && unchanged)
      ++discarded;
    else
      ++wrong;
  }
};

// ---- mutations

/// Changes a letter: flips, overwrites, cuts, extends, repeats, or takes bytes of another letter.
void mutate(Letter& letter, Letter const& other, Stream& stream) {
  auto const at = [&](std::size_t size) {
    return stream.below(static_cast<std::uint32_t>(std::max<std::size_t>(size, 1)));
  };
  for (std::uint32_t n = 1 + stream.below(3); n > 0 && !letter.empty(); --n) {
    std::size_t const i = at(letter.size());
    switch (stream.below(7)) {
      case 0:
        letter[i] ^= static_cast<std::byte>(1U << stream.below(8));
        break;
      case 1:
        letter[i] = static_cast<std::byte>(stream());
        break;
      case 2:
        letter.resize(i);
        break;
      case 3:
        letter.resize(letter.size() + 1 + at(64), static_cast<std::byte>(stream()));
        break;
      case 4:
        std::fill_n(letter.begin() + static_cast<std::ptrdiff_t>(i), std::min<std::size_t>(8, letter.size() - i),
                    static_cast<std::byte>(stream.below(2) * 255));
        break;
      case 5:
        for (std::size_t k = 0; k < 40 && i + k < letter.size() && i + k < other.size(); ++k)
          letter[i + k] = other[i + k];
        break;
      default:
        std::swap(letter[i], letter[at(letter.size())]);
        break;
    }
  }
}
/// Gives the letter's envelope the size and the checksum of its payload, as an attacker would.
void repair(Letter& letter) {
  if (letter.size() < sizeof(Envelope)) return;
  Envelope envelope;
  std::memcpy(&envelope, letter.data(), sizeof envelope);
  auto const payload = std::span<std::byte const>(letter).subspan(sizeof envelope);
  envelope.payload_size = payload.size();
  envelope.payload_checksum = checksum(payload);
  std::memcpy(letter.data(), &envelope, sizeof envelope);
}

template <SecureServer S>
void mutated_rounds(std::uint64_t count) {
  SecureRounds<S> rounds(5, {5, 4, 3}, {.dropout = 0.0, .corrupt = 0.0});
  Stream stream(S == SecureServer::malicious ? 5 : 4);
  std::size_t discarded = 0;
  std::size_t with_all = 0;
  for (std::uint64_t run = 0; run < count; ++run) {
    rounds.seed = run;
    std::size_t const phase = stream.below(S == SecureServer::malicious ? 5 : 4);
    std::size_t const who = stream.below(5);
    bool const to_server = stream.below(2) == 0;
    Letter previous;
    auto const outcome = rounds.run([&](bool direction, std::size_t at, std::size_t i, Letter& letter) {
      if (direction == to_server && at == phase && i == who && !letter.empty()) {
        mutate(letter, previous, stream);
        // Masked messages have no envelope: an attacker who changes one replaces the message of a client.
        if (phase != 2 || !to_server) repair(letter);
      }
      if (direction == to_server && at == phase) previous = letter;
    });
    if (outcome.statistics.discarded) {
      ++discarded;
      CHECK(outcome.weights == rounds.broadcast);
      continue;
    }
    // The sum is exact: of all clients, or of all but those that were refused.
    bool const all = outcome.weights == rounds.mean([](std::size_t) { return true; });
    bool const others = outcome.weights == rounds.mean([&](std::size_t i) { return i != who; });
    bool four = false;
    for (std::size_t lost = 0; lost < 5; ++lost)
      four = four || outcome.weights == rounds.mean([&](std::size_t i) { return i != lost; });
    if (all) ++with_all;
    CHECK((all || others || four));
  }
  INFO("discarded " << discarded << ", exact with all " << with_all << " of " << count);
  CHECK(with_all > 0);
}

// ---- what the server sees

constexpr std::size_t bytes_of_message = 5 * sizeof(std::uint32_t);

struct View {
  std::vector<Letter> wires;     // masked messages of all clients
  std::vector<Letter> revealed;  // shares
};

View view(SecureRounds<SecureServer::curious, std::uint32_t>& rounds, std::uint64_t seed) {
  rounds.seed = seed;
  View out;
  auto const outcome = rounds.run([&](bool to_server, std::size_t phase, std::size_t, Letter& letter) {
    if (!to_server) return;
    if (phase == 2) out.wires.push_back(letter);
    if (phase == 3) out.revealed.push_back(letter);
  });
  REQUIRE_FALSE(outcome.statistics.discarded);
  return out;
}
/// The masked words of a message: behind version, id, two digests and length.
std::span<std::byte const> words_of(Letter const& wire) {
  return std::span(wire).subspan(4 + 4 + 32 + 32 + 8, bytes_of_message);
}

using Histogram = std::vector<std::vector<double>>;  // by position, then by byte
void count(Histogram& histogram, std::span<std::byte const> bytes) {
  histogram.resize(std::max(histogram.size(), bytes.size()), std::vector<double>(256));
  for (std::size_t i = 0; i < bytes.size(); ++i) histogram[i][std::to_integer<std::size_t>(bytes[i])] += 1.0;
}
/// The largest chi-squared over the positions, against the uniform distribution.
double against_uniform(Histogram const& histogram) {
  double worst = 0.0;
  for (auto const& counts : histogram) {
    double total = 0.0;
    for (double c : counts) total += c;
    double chi = 0.0;
    for (double c : counts) chi += (c - total / 256) * (c - total / 256) / (total / 256);
    worst = std::max(worst, chi);
  }
  return worst;
}
/// The largest chi-squared over the positions, of two samples of equal size.
double two_samples(Histogram const& a, Histogram const& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double chi = 0.0;
    for (std::size_t v = 0; v < 256; ++v)
      if (double const both = a[i][v] + b[i][v]; both > 0) chi += (a[i][v] - b[i][v]) * (a[i][v] - b[i][v]) / both;
    worst = std::max(worst, chi);
  }
  return worst;
}
// Chi-squared with 255 degrees of freedom exceeds 420 with probability below 1e-9, so that the largest of the at most
// 300 numbers of a test exceeds it with probability below 3e-7.
constexpr double critical = 420.0;

}  // namespace

TEST_CASE(
    "Ten clients, threshold seven: all 8,441 ways to lose up to three give the exact sum, all 53,760 of four none") {
  Tree tree;
  Tree::Clients clients;
  for (std::size_t i = 0; i < 10; ++i) clients.push_back({&tree.rounds, i, {}});
  tree.walk(Tree::Server(tree.rounds.seal, tree.rounds.round()), clients, 1023, 0);
  CHECK(tree.exact == 8441);
  CHECK(tree.discarded == 53760);
  CHECK(tree.wrong == 0);
}

TEST_CASE("A million mutated letters are refused, and leave the server's record as it was") {
  SecureRounds<> rounds(5, {5, 4, 3}, {.dropout = 0.0, .corrupt = 0.0});
  using Seal = SecureRounds<>::Seal;
  // The letters of one round, and the record before each phase.
  std::vector<SecureRounds<>::Half> clients;
  for (std::size_t i = 0; i < 5; ++i) clients.push_back({&rounds, i, {}});
  SealedRound<Seal, LocalWeights> server(rounds.seal, rounds.round());
  std::vector<SealedRound<Seal, LocalWeights>> servers;
  std::vector<std::vector<SecureRounds<>::Half>> halves;
  std::vector<std::vector<Letter>> answers;
  std::vector<std::vector<Letter>> questions;
  // The server's record, kept beside SealedRound, which does not show its own.
  Seal::Record record;
  std::vector<Seal::Record> records;
  while (!server.finished()) {
    records.push_back(record);
    servers.push_back(server);
    halves.push_back(clients);
    answers.emplace_back();
    questions.emplace_back();
    for (std::size_t i = 0; i < 5; ++i) {
      questions.back().push_back(server.question(rounds.asked[i]));
      answers.back().push_back(clients[i].reply(server.phase(), questions.back().back()));
      REQUIRE(server.receive(rounds.asked[i], answers.back().back()));
      if (server.phase() != 2)
        REQUIRE(rounds.seal.receive(server.phase(), record, rounds.asked[i], answers.back().back(), rounds.round()));
    }
    if (server.phase() == 2)
      rounds.seal.reported(record, rounds.asked, rounds.round());
    else
      rounds.seal.answered(server.phase(), record, rounds.asked, rounds.round());
    server.next_phase();
  }
  Stream stream(1);
  std::size_t accepted = 0;
  std::size_t same = 0;
  std::size_t mutated = 0;          // of the accepted letters
  std::size_t changed_records = 0;  // by letters that were refused
  for (int run = 0; run < 1'000'000; ++run) {
    std::size_t const phase = stream.below(4);
    std::size_t const who = stream.below(5);
    bool const to_server = phase == 0 || stream.below(2) == 0;
    auto const& sent = to_server ? answers : questions;
    Letter letter = sent[phase][who];
    bool whole = true;  // a letter that was sent, in another place
    // Also whole letters of other phases (reordered) and of other clients (replayed).
    if (stream.below(16) == 0)
      letter = sent[to_server ? stream.below(4) : 1 + stream.below(3)][who];
    else if (stream.below(16) == 0 && phase != 0)
      letter = sent[phase][(who + 1) % 5];
    else {
      mutate(letter, sent[phase][(who + 1) % 5], stream);
      whole = std::ranges::any_of(sent[phase], [&](Letter const& other) { return other == letter; });
    }
    std::size_t const before = accepted;
    if (letter == sent[phase][who]) {
      ++same;
      continue;
    }
    if (to_server) {
      // `receive` takes nothing of a letter that it refuses: the copy keeps waiting for nobody else.
      auto copy = servers[phase];
      if (copy.receive(rounds.asked[who], letter)) {
        ++accepted;
      } else if (phase != 2) {
        auto untouched = records[phase];
        try {
          if (rounds.seal.receive(phase, untouched, rounds.asked[who], letter, rounds.round())) ++changed_records;
        } catch (FormatError const&) {
        }
        if (field_bytes(untouched) != field_bytes(records[phase])) ++changed_records;
      }
    } else if (phase != 2) {
      auto copy = halves[phase][who];
      if (!copy.reply(phase, letter).empty()) ++accepted;
    } else {
      auto copy = halves[phase][who];
      auto attempt = servers[2];
      if (attempt.receive(rounds.asked[who], copy.reply(phase, letter))) ++accepted;
    }
    if (!whole) mutated += accepted - before;
  }
  // Another client's letter has the right form: its shares are then wrong for the receiver, which the server notices by
  // the commitments, and a client cannot decrypt them. Everything else is refused.
  INFO("accepted " << accepted << ", unchanged " << same);
  CHECK(same < 100'000);
  CHECK(accepted < 60'000);
  CHECK(mutated == 0);
  CHECK(changed_records == 0);
}

TEST_CASE("A round with a forged letter gives an exact sum, or none") {
  mutated_rounds<SecureServer::curious>(1500);
  mutated_rounds<SecureServer::malicious>(600);
}

TEST_CASE("Every byte of a masked message is uniform, whatever the secret; without masks the test fails") {
  for (float secret : {0.0F, 500.0F}) {
    SecureRounds<SecureServer::curious, std::uint32_t> rounds(3, {}, {.dropout = 0.0, .corrupt = 0.0});
    rounds.values[1].assign(4, secret);
    Histogram bytes;
    Histogram plain;
    for (std::uint64_t run = 0; run < 6000; ++run) {
      count(bytes, words_of(view(rounds, run).wires[1]));
      auto const words =
          rounds.seal.grid.words<std::uint32_t>(FedAvg{}.contribution(rounds.message(1), rounds.broadcast), 3);
      count(plain, std::as_bytes(std::span(words)));
    }
    CHECK(against_uniform(bytes) < critical);
    CHECK(against_uniform(plain) > 100 * critical);
  }
}

TEST_CASE("Two runs with equal sums, in which two clients exchange their secrets, look the same to the server") {
  SecureRounds<SecureServer::curious, std::uint32_t> one(4, {}, {.dropout = 0.0, .corrupt = 0.0});
  auto other = one;
  std::swap(other.values[0], other.values[2]);
  Histogram wires[2];
  Histogram differences[2];
  Histogram shares[2];
  for (std::uint64_t run = 0; run < 6000; ++run)
    for (std::size_t world = 0; world < 2; ++world) {
      auto const seen = view(world == 0 ? one : other, 2 * run + world);
      count(wires[world], words_of(seen.wires[0]));
      // What the server could compute: the difference of the two clients' masked messages.
      std::vector<std::uint32_t> a(5);
      std::vector<std::uint32_t> b(5);
      std::memcpy(a.data(), words_of(seen.wires[0]).data(), bytes_of_message);
      std::memcpy(b.data(), words_of(seen.wires[2]).data(), bytes_of_message);
      for (std::size_t i = 0; i < 5; ++i) a[i] -= b[i];
      count(differences[world], std::as_bytes(std::span(a)));
      count(shares[world], std::span(seen.revealed[1]).subspan(sizeof(Envelope) + 8, 160));
    }
  CHECK(two_samples(wires[0], wires[1]) < critical);
  CHECK(two_samples(differences[0], differences[1]) < critical);
  CHECK(two_samples(shares[0], shares[1]) < critical);
}
