#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/secure_client.hpp>
#include <fltr/aggregators/detail/secure_round.hpp>
#include <fltr/aggregators/detail/secure_server.hpp>
#include <fltr/aggregators/detail/word_sum.hpp>
#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/aggregators/identities.hpp>
#include <fltr/aggregators/secure_graph.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealable.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/checksum.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/wipe.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// Secure aggregation (Bonawitz et al. 2017) on a neighbour graph (Bell et al. 2020). The server learns the sum of the
/// clients' vectors and nothing else about them. A, a Sealable aggregator, gets this sum. Needs libsodium (target
/// `fltr::secure`).
///
/// | phase    | a client sends                                                | it gets before                           |
/// | -------- | ------------------------------------------------------------- | ---------------------------------------- |
/// | 0        | two X25519 keys and a commitment, all fresh                   | –                                        |
/// | 1        | Shamir shares of its mask key and seed, encrypted             | the keys of its neighbours               |
/// | message  | its vector plus a mask for each neighbour and its own mask    | its neighbours' shares                   |
/// | (list)   | malicious server only: its signature on the list of survivors | the list of survivors                    |
/// | last     | one share for each neighbour: of the seed if the neighbour    | its surviving neighbours, or t           |
/// |          | survived, else of the key; never both                         | signatures on the list                   |
///
/// Masks are ChaCha20 key streams. A mask of two neighbours cancels in the sum. Its key depends on their key agreement
/// and on the root: a hash of run, round, broadcast model, parameters, the clients that were asked, and all their keys.
/// A client that refuses to go on returns an empty letter and forgets its secrets.
///
/// Any number of clients may drop out in any phase. The sum can be opened if t holders of each client's shares are left.
/// Otherwise the round is discarded, and the ranker does not change. Fixed point: see FixedPoint.
///
/// **Threat model**: ARCHITECTURE.md, "Threat model of secure sums". In short:
/// - Curious server: it follows the protocol and may collude with the share `setting.corrupt` of the clients.
/// - Malicious server: it may also lie. Identities come from outside. Every client derives the graph itself, and t
///   neighbours must sign the same list of at least `minimum_reports` survivors before it reveals a share.
/// - On a neighbour graph, a malicious server can open sums of fewer than `minimum_reports` messages (hook
///   `partial_sums`). The ledger then charges every message as if it were not sealed: noise that relies on the number of
///   reports needs the complete graph against such a server.
/// - A malicious client can add any vector. Who takes part, and when, is visible.
///
/// In a Federation all secrets are functions of the public seed: a simulation protects nobody. A real client uses
/// SealedClient with `SealContext::streams.key` from ClientKey::next(), a new one for every round and every retry, and its
/// ClientAccount.
template <class A, SecureServer S = SecureServer::curious, std::unsigned_integral Word = std::uint64_t>
struct SecureSum {
  static_assert(composition::NamesContribution<A> && Streaming<A>,
                "fltr: SecureSum needs an aggregator that uses nothing but a sum of vectors (see Sealable): FedAvg, "
                "FedOpt or EsGradient. A robust rule such as Krum reads single messages, which SecureSum hides");
  static_assert(std::same_as<Word, std::uint32_t> || std::same_as<Word, std::uint64_t>,
                "fltr: SecureSum counts modulo 2^32 or 2^64");
  static constexpr bool malicious = S == SecureServer::malicious;

  static constexpr std::size_t exchanges_before = 2;
  static constexpr std::size_t exchanges_after = malicious ? 2 : 1;

  using State = fltr::State<A>;
  using Secret = detail::secure::ClientSecret<S>;
  using Record = detail::secure::ServerRecord<S>;

  /// A masked message. The checksum finds bytes that changed on the way; `heard` finds letters that did.
  struct Wire {
    std::uint32_t version = 1;
    ClientId client = 0;
    std::array<std::uint8_t, 32> root{};
    std::array<std::uint8_t, 32> heard{};
    std::vector<Word> words{};
    std::uint64_t checksum = 0;

    [[nodiscard]] std::uint64_t computed_checksum() const {
      Checksum sum;
      sum.update(std::as_bytes(std::span(&client, 1)));
      sum.update(std::as_bytes(std::span(root)));
      sum.update(std::as_bytes(std::span(heard)));
      sum.update(std::as_bytes(std::span(words)));
      return sum.value();
    }
    auto fields(auto&& visit) { return visit(version, client, root, heard, words, checksum); }
  };
  using Sum = detail::WordSum<Wire, Word>;

  A aggregator{};
  SecureSetting setting{};  ///< `clients` is replaced by the number of clients that a round asks
  FixedPoint grid{};
  SecureGraph graph{};      ///< for rounds that ask `graph.clients` clients; checked; others: computed from `setting`
  Identities identities{};  ///< malicious server only
  std::size_t threads = 0;  ///< with which the server removes masks; 0: one per core

  // ---- at the client

  [[nodiscard]] Letter answer(std::size_t phase, Secret& secret, Letter const& question,
                              SealContext const& context) const {
    detail::secure::require_sodium();
    if (secret.next != phase) return {};
    auto const terms = this->terms(context.round);
    detail::secure::SecureClient<S> client(secret, terms, context, identities);
    Letter out;
    try {
      if (phase == 0)
        out = client.keys();
      else if (phase == 1)
        out = client.shares(question);
      else if (malicious && phase == 3)
        out = client.signed_list(question);
      else
        out = client.revealed(question);
    } catch (FormatError const&) {
      // The server's letter is malformed: the client goes no further.
    }
    bool const last = phase == exchanges_before + exchanges_after;
    if (out.empty() || last)
      secret.refuse();  // after the last phase nothing may be asked again
    else
      ++secret.next;
    return out;
  }

  template <class M>
  [[nodiscard]] Wire seal(M const& message, Secret& secret, Letter const& question, SealContext const& context) const {
    static_assert(Sealable<A, M>, "fltr: the aggregator within SecureSum cannot make a sum of this Message");
    Wire wire;
    if (secret.next != exchanges_before) return wire;
    auto const terms = this->terms(context.round);
    auto words = detail::contribution_words<Word>("SecureSum", aggregator, grid, message, context.round);
    bool masked = false;
    try {
      masked =
          detail::secure::SecureClient<S>(secret, terms, context, identities).mask(question, std::span<Word>(words));
    } catch (FormatError const&) {
    }
    if (!masked) {
      wipe(words);
      secret.refuse();
      return wire;
    }
    ++secret.next;
    wire.client = context.client;
    wire.root = secret.root;
    wire.heard = secret.heard;
    wire.words = std::move(words);
    wire.checksum = wire.computed_checksum();
    return wire;
  }

  // ---- at the server

  [[nodiscard]] Letter ask(std::size_t phase, Record const& record, ClientId to, SealRound const& round) const {
    detail::secure::require_sodium();
    if (phase == 0) return {};
    auto const terms = this->terms(round);
    detail::secure::SecureServerHalf<S> const server(record, terms);
    if (phase == 1) return server.roster(to);
    if (phase == exchanges_before) return server.partners(to);
    return malicious && phase == 4 ? server.signatures(to) : server.survivors(to);
  }

  [[nodiscard]] bool receive(std::size_t phase, Record& record, ClientId from, Letter const& letter,
                             SealRound const& round) const {
    auto const terms = this->terms(round);
    if (phase == 0) {
      auto const keys = detail::secure::from_letter<detail::secure::RoundKeys<S>>(detail::secure::keys_kind, letter);
      if (keys.client != from || detail::secure::x25519_weak(keys.mask_key) ||
          detail::secure::x25519_weak(keys.share_key))
        return false;
      if constexpr (malicious)
        if (!identities.verify(from, detail::secure::leaf_of(terms, keys), keys.signature)) return false;
      record.keys.insert_or_assign(from, keys);
    } else if (phase == 1) {
      auto ciphers = detail::secure::from_letter<std::vector<std::uint8_t>>(detail::secure::shares_kind, letter);
      auto const of = record.neighbours.find(from);
      if (of == record.neighbours.end() || ciphers.size() != of->second.size() * detail::secure::cipher_size)
        return false;
      record.ciphers.insert_or_assign(from, std::move(ciphers));
    } else if (malicious && phase == 3) {
      auto const signature =
          detail::secure::from_letter<detail::secure::Signature>(detail::secure::signed_list_kind, letter);
      if (!identities.verify(from, survivors_digest(record), signature)) return false;
      record.signatures.insert_or_assign(from, signature);
    } else {
      auto shares =
          detail::secure::from_letter<std::vector<detail::secure::Share>>(detail::secure::revealed_kind, letter);
      if (shares.size() != detail::secure::SecureServerHalf<S>(record, terms).revealed_size(from)) return false;
      record.revealed.insert_or_assign(from, std::move(shares));
    }
    return true;
  }

  /// After the keys: the root and the graph. After the shares: the clients that take part in the sum.
  void answered(std::size_t phase, Record& record, std::span<ClientId const> ids, SealRound const& round) const {
    if (phase == 1) record.sharing = detail::secure::sorted_ids(ids);
    if (phase != 0) return;
    auto const terms = this->terms(round);
    auto const asked = detail::secure::sorted_ids(round.asked);
    record.leaves.assign(asked.size(), {});
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (auto const of = record.keys.find(asked[i]); of != record.keys.end())
        record.leaves[i] = detail::secure::leaf_of(terms, of->second);
    record.root = detail::secure::root_of(terms, asked, record.leaves);
    record.ring = detail::secure::SecureRing(terms.graph, asked, record.root);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!record.keys.contains(asked[i])) continue;
      auto neighbours = record.ring.neighbours_of(i);
      std::erase_if(neighbours, [&](ClientId id) { return !record.keys.contains(id); });
      record.neighbours.insert_or_assign(asked[i], std::move(neighbours));
    }
  }

  [[nodiscard]] bool accepts(Wire const& wire, Record const& record, ClientId from, SealRound const& round) const {
    return wire.version == 1 && wire.client == from && wire.root == record.root &&
           wire.words.size() == round.broadcast.size() + 1 && wire.checksum == wire.computed_checksum() &&
           detail::secure::SecureServerHalf<S>(record, terms(round)).heard(from, wire.heard);
  }

  void reported(Record& record, std::span<ClientId const> ids, SealRound const&) const {
    auto const all = detail::secure::sorted_ids(ids);
    record.reported.clear();
    std::ranges::set_intersection(all, record.sharing, std::back_inserter(record.reported));
  }

  [[nodiscard]] bool open(Sum& sum, Record const& record, SealRound const& round) const {
    if (sum.damaged || sum.total.size() != round.broadcast.size() + 1 || sum.count != record.reported.size())
      return false;
    return detail::secure::SecureServerHalf<S>(record, terms(round)).unmask(std::span<Word>(sum.total), threads);
  }

  [[nodiscard]] FixedPoint sum_grid() const { return grid; }
  [[nodiscard]] std::string partial_sums(std::uint64_t asked) const {
    if (!malicious || asked < 2 || graph_for(asked).complete()) return {};
    return "every message counts alone, because a malicious server can open sums of fewer than minimum_reports "
           "messages "
           "on a neighbour graph that is not complete";
  }
  [[nodiscard]] Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const& sum, ParametricRanker auto& ranker, State& state) const {
    std::span<float const> const broadcast = shared_parameters(ranker);
    auto restored = aggregator.restored(grid.sum(std::span<Word const>(sum.total), sum.count), broadcast);
    fltr::aggregate(aggregator, std::move(restored), ranker, state);
  }

  /// Neighbours and threshold of a round that asks so many clients.
  [[nodiscard]] SecureGraph graph_for(std::uint64_t clients) const {
    SecureSetting of = setting;
    of.clients = clients;
    of.server = S;
    if (graph.clients != clients) return secure_graph(of);
    require_secure(of, graph);
    return graph;
  }
  /// This seal with the graph of rounds that ask so many clients, which is then not computed again in every phase.
  [[nodiscard]] SecureSum prepared_for(std::uint64_t clients) const {
    SecureSum out = *this;
    out.graph = graph_for(clients);
    return out;
  }

 private:
  [[nodiscard]] detail::secure::RoundTerms terms(SealRound const& round) const {
    detail::secure::RoundTerms out;
    out.graph = graph_for(round.asked.size());
    auto const number = [](double v) { return std::bit_cast<std::uint64_t>(v); };
    out.digest = detail::secure::Blake2b("fltr secure sum round 1")
                     .add(static_cast<std::uint8_t>(S))
                     .add(static_cast<std::uint8_t>(sizeof(Word)))
                     .add(round.run)
                     .add(round.attempt)
                     .add(round.number)
                     .add(out.graph.clients)
                     .add(out.graph.neighbours)
                     .add(out.graph.threshold)
                     .add(round.minimum_reports)
                     .add(number(grid.step))
                     .add(round.broadcast)
                     .digest();
    return out;
  }
  [[nodiscard]] static std::array<std::uint8_t, 32> survivors_digest(Record const& record) {
    auto const& ids = record.ring.ids();
    std::vector<std::uint8_t> bits((ids.size() + 7) / 8);
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (std::ranges::binary_search(record.reported, ids[i])) detail::secure::set_bit(bits, i);
    return detail::secure::list_digest(record.root, bits);
  }
};

}  // namespace fltr
