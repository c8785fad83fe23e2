#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr::testing {

/// Arithmetic modulo the prime 2^61 − 1.
struct Modular {
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61U) - 1;
  __extension__ using Wide = unsigned __int128;
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(Wide{a} * b % prime);
  }
  static std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t out = 1;
    for (; exponent > 0; exponent >>= 1U, base = multiply(base, base))
      if ((exponent & 1U) != 0) out = multiply(out, base);
    return out;
  }
  static std::uint64_t inverse(std::uint64_t a) { return power(a, prime - 2); }
};

/// A toy protocol for a secure sum, only for tests of the frame. Each pair of clients has a mask that cancels in the
/// sum; it comes from a key agreement modulo a small prime. Each client gives shares of its key to the others, so that
/// the server can remove the masks of a client that drops out after its key was used. The protocol is not secure: the
/// prime is small, letters are not encrypted, and there are no self masks.
///
/// Phases: 0 public keys; 1 shares of keys; 2 masked messages; 3 shares of the keys of clients that dropped out.
struct MaskedSum {
  static constexpr std::size_t exchanges_before = 2;
  static constexpr std::size_t exchanges_after = 1;

  std::size_t threshold = 3;  ///< shares that restore a key

  // ---- what travels

  struct Wire {
    std::vector<std::uint64_t> masked;
    auto fields(auto&& visit) { return visit(masked); }
  };
  struct Sum {
    static constexpr bool linear = true;
    std::vector<std::uint64_t> total;
    std::uint64_t count = 0;

    void add(Wire const& wire) {
      total.resize(wire.masked.size());
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += wire.masked[k];
      ++count;
    }
    void merge(Sum const& other) {
      total.resize(std::max(total.size(), other.total.size()));
      for (std::size_t k = 0; k < other.total.size(); ++k) total[k] += other.total[k];
      count += other.count;
    }
    auto fields(auto&& visit) { return visit(total, count); }
  };

  // ---- at the client

  using Numbers = std::map<ClientId, std::uint64_t>;  // by the client that a number belongs to
  struct Secret {
    std::uint64_t key = 0;
    Numbers shares{};  ///< of other clients' keys
    auto fields(auto&& visit) { return visit(key, shares); }
  };

  /// What a client gets before it masks its message: the public keys of all clients that sent shares, and its shares.
  struct Partners {
    Numbers keys{};
    Numbers shares{};
    auto fields(auto&& visit) { return visit(keys, shares); }
  };

  [[nodiscard]] Letter answer(std::size_t phase, Secret& secret, Letter const& question,
                              SealContext const& context) const {
    Stream stream = context.streams.of(Purpose::seal);
    secret.key = 1 + stream.below64(Modular::prime - 2);
    if (phase == 0) return field_bytes(public_key(secret.key));
    if (phase == 1) {
      // A polynomial of degree threshold − 1 through the key; the share of a client is its value at id + 1.
      std::vector<std::uint64_t> polynomial{secret.key};
      while (polynomial.size() < threshold) polynomial.push_back(stream.below64(Modular::prime));
      Numbers shares;
      for (auto const& [id, key] : read<Numbers>(question)) shares[id] = value_at(polynomial, id + std::uint64_t{1});
      return field_bytes(shares);
    }
    Numbers revealed;
    for (ClientId gone : read<std::vector<ClientId>>(question)) revealed[gone] = secret.shares.at(gone);
    return field_bytes(revealed);
  }

  [[nodiscard]] Wire seal(LocalWeights const& message, Secret& secret, Letter const& question,
                          SealContext const& context) const {
    auto const partners = read<Partners>(question);
    secret.shares = partners.shares;
    Wire wire;
    for (float v : message.values)
      wire.masked.push_back(
          static_cast<std::uint64_t>(std::llrint(static_cast<double>(v) * message.weight() * 0x1p20)));
    wire.masked.push_back(message.interactions);
    for (auto const& [id, key] : partners.keys)
      if (id != context.client) mask(wire.masked, context.client, id, secret.key, key);
    return wire;
  }

  // ---- at the server

  struct Record {
    Numbers keys{};                          ///< public
    std::map<ClientId, Numbers> shares{};    ///< by receiver, then by owner of the key
    std::vector<ClientId> sharing{};         ///< clients that sent shares; in the end, those that also sent a message
    std::vector<ClientId> dropped{};         ///< clients that sent shares but no message
    std::map<ClientId, Numbers> revealed{};  ///< by owner of the key, then by the client that revealed the share
    auto fields(auto&& visit) { return visit(keys, shares, sharing, dropped, revealed); }
  };

  [[nodiscard]] Letter ask(std::size_t phase, Record const& record, ClientId to, SealRound const&) const {
    if (phase == 0) return {};
    if (phase == 1) return field_bytes(record.keys);
    if (phase == 3) return field_bytes(record.dropped);
    Partners partners;
    for (ClientId id : record.sharing) partners.keys[id] = record.keys.at(id);
    for (auto const& [of, share] : record.shares.at(to)) partners.shares[of] = share;
    return field_bytes(partners);
  }

  [[nodiscard]] bool receive(std::size_t phase, Record& record, ClientId from, Letter const& letter,
                             SealRound const&) const {
    if (phase == 0) {
      record.keys[from] = read<std::uint64_t>(letter);
    } else if (phase == 1) {
      auto const shares = read<Numbers>(letter);  // may throw, so it comes before the record changes
      record.sharing.push_back(from);
      for (auto const& [to, share] : shares) record.shares[to][from] = share;
    } else {
      for (auto const& [of, share] : read<Numbers>(letter)) record.revealed[of][from] = share;
    }
    return true;
  }

  [[nodiscard]] bool accepts(Wire const& wire, Record const&, ClientId, SealRound const& round) const {
    return wire.masked.size() == round.broadcast.size() + 1;
  }

  void reported(Record& record, std::span<ClientId const> ids, SealRound const&) const {
    for (ClientId id : record.sharing)
      if (std::ranges::find(ids, id) == ids.end()) record.dropped.push_back(id);
    std::erase_if(record.sharing, [&](ClientId id) { return std::ranges::find(ids, id) == ids.end(); });
  }

  [[nodiscard]] bool open(Sum& sum, Record const& record, SealRound const&) const {
    for (ClientId gone : record.dropped) {
      auto const shares = record.revealed.find(gone);
      if (shares == record.revealed.end() || shares->second.size() < threshold) return false;
      std::uint64_t const key = restore_key(shares->second);
      // Adds the masks that the missing client would have added. They cancel the masks of the others.
      for (ClientId id : record.sharing) mask(sum.total, gone, id, key, record.keys.at(id));
    }
    return true;
  }

  [[nodiscard]] Sum sum(auto const&) const { return {}; }

  /// The integer sums of the last round, and the number of its messages.
  struct State {
    std::vector<std::int64_t> integers{};
    std::uint64_t count = 0;
    auto fields(auto&& visit) { return visit(integers, count); }
  };
  void aggregate(Sum const& sum, ParametricRanker auto& ranker, State& state) const {
    state.integers.clear();
    for (std::uint64_t v : sum.total) state.integers.push_back(static_cast<std::int64_t>(v));
    state.count = sum.count;
    auto const weights = shared_parameters(ranker);
    auto const weight = static_cast<double>(state.integers.back());
    for (std::size_t k = 0; k < weights.size() && weight > 0; ++k)
      weights[k] = static_cast<float>(static_cast<double>(state.integers[k]) * 0x1p-20 / weight);
  }

 private:
  static std::uint64_t public_key(std::uint64_t key) { return Modular::power(3, key); }
  static std::uint64_t value_at(std::span<std::uint64_t const> polynomial, std::uint64_t x) {
    std::uint64_t out = 0;
    for (std::size_t i = polynomial.size(); i > 0; --i)
      out = (Modular::multiply(out, x) + polynomial[i - 1]) % Modular::prime;
    return out;
  }
  /// Lagrange interpolation at 0 through the first `threshold` shares.
  [[nodiscard]] std::uint64_t restore_key(Numbers const& shares) const {
    std::uint64_t key = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> points;
    for (auto const& [id, share] : shares)
      if (points.size() < threshold) points.emplace_back(id + std::uint64_t{1}, share);
    for (auto const& [x, y] : points) {
      std::uint64_t term = y;
      for (auto const& [other, unused] : points)
        if (other != x)
          term = Modular::multiply(Modular::multiply(term, other),
                                   Modular::inverse((other + Modular::prime - x) % Modular::prime));
      key = (key + term) % Modular::prime;
    }
    return key;
  }
  /// The mask that `own` shares with `other`: added by the lower id, taken away by the higher one.
  static void mask(std::span<std::uint64_t> values, ClientId own, ClientId other, std::uint64_t key,
                   std::uint64_t public_of_other) {
    Stream stream(Modular::power(public_of_other, key));
    for (std::uint64_t& v : values) {
      std::uint64_t const m = stream.bits64();
      v += own < other ? m : 0 - m;
    }
  }
  template <class T>
  static T read(Letter const& letter) {
    FieldReader reader{std::span<std::byte const>(letter)};
    T value{};
    reader.read(value);
    reader.expect_end();
    return value;
  }
};
static_assert(SealProtocol<MaskedSum>);
// The server half cannot add a message that is not masked.
static_assert(SumOf<MaskedSum::Sum, MaskedSum::Wire> && !SumOf<MaskedSum::Sum, LocalWeights>);

}  // namespace fltr::testing
