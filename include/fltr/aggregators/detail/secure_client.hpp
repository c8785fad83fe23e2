#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/secure_round.hpp>
#include <fltr/aggregators/detail/shamir.hpp>
#include <fltr/aggregators/detail/sodium.hpp>
#include <fltr/aggregators/identities.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/wipe.hpp>

namespace fltr::detail::secure {

/// What a client keeps during a round. Everything secret in it is overwritten in the end, and as soon as the client
/// refuses to go on.
template <SecureServer S>
struct ClientSecret {
  static constexpr std::uint32_t refused = ~std::uint32_t{0};

  std::uint32_t next = 0;  ///< the phase that the client expects; `refused`: none
  Key32 mask_secret{};
  Key32 share_secret{};
  Key32 seed{};        ///< of the own mask
  Key32 polynomial{};  ///< of the coefficients of the shares
  RoundKeys<S> own{};
  Bytes32 root{};
  Bytes32 heard{};                         ///< of the own keys and of all letters so far
  std::vector<RoundKeys<S>> neighbours{};  ///< that published keys, by id
  WipedVector<Bytes32> common{};           ///< with each neighbour, for the encryption of shares
  std::vector<ClientId> partners{};        ///< neighbours that sent shares, by id
  WipedVector<SharePair> shares{};         ///< of the partners, and last of this client itself if the graph is complete
  std::vector<std::uint8_t> present{};     ///< malicious server: a bit for each client that published keys
  std::vector<std::uint8_t> survivors{};   ///< malicious server: the list that the client signed

  /// Ends the client's part in this round.
  void refuse() {
    *this = ClientSecret{};
    next = refused;
  }
  auto fields(auto&& visit) {
    return visit(next, mask_secret, share_secret, seed, polynomial, own, root, heard, neighbours, common, partners,
                 shares, present, survivors);
  }
};

/// The client's half of a secure sum: pure functions of the secret, the server's letter and public facts. A result of
/// false, or an empty letter: the client refuses.
template <SecureServer S>
class SecureClient {
  static constexpr bool malicious = S == SecureServer::malicious;

 public:
  SecureClient(ClientSecret<S>& secret, RoundTerms const& terms, SealContext const& context,
               Identities const& identities)
      : secret_(secret), terms_(terms), context_(context), identities_(identities) {}

  /// Draws all secrets of the round, and publishes keys.
  [[nodiscard]] Letter keys() {
    Stream stream = context_.streams.of(Purpose::seal);
    for (Key32* key : {&secret_.mask_secret, &secret_.share_secret, &secret_.seed, &secret_.polynomial})
      for (std::size_t i = 0; i < 32; i += 4) {
        std::uint32_t const word = stream();
        std::memcpy(&key->bytes[i], &word, 4);
      }
    secret_.own = {context_.client,
                   x25519_public(secret_.mask_secret),
                   x25519_public(secret_.share_secret),
                   commitment_of(terms_, context_.client, secret_.seed),
                   {}};
    if constexpr (malicious) secret_.own.signature = identities_.sign(context_.client, leaf_of(terms_, secret_.own));
    return to_letter(keys_kind, secret_.own);
  }

  /// Shares of the two secrets, encrypted for each neighbour.
  [[nodiscard]] Letter shares(Letter const& question) {
    auto roster = from_letter<Roster<S>>(roster_kind, question);
    if (!takes(roster)) return {};
    secret_.root = roster.root;
    secret_.heard = heard_after(leaf_of(terms_, secret_.own), question);
    secret_.neighbours = std::move(roster.neighbours);
    std::vector<std::uint64_t> points;
    for (auto const& one : secret_.neighbours) points.push_back(point_of(one.client));
    if (terms_.graph.complete()) points.push_back(point_of(context_.client));
    if (points.size() < terms_.graph.threshold) return {};

    Wiped<Key256> words;
    std::memcpy(words.value.data(), secret_.polynomial.bytes.data(), sizeof words.value);
    Stream stream = Stream::secret(words.value, {});
    auto const threshold = static_cast<std::size_t>(terms_.graph.threshold);
    WipedVector<Share> const of_seed(split_secret(secret_.seed.bytes, points, threshold, stream));
    WipedVector<Share> const of_key(split_secret(secret_.mask_secret.bytes, points, threshold, stream));
    wipe(secret_.polynomial.bytes);

    std::vector<std::uint8_t> ciphers(secret_.neighbours.size() * cipher_size);
    Wiped<std::array<std::uint8_t, plain_size>> plain;
    secret_.common.items.resize(secret_.neighbours.size());
    for (std::size_t i = 0; i < secret_.neighbours.size(); ++i) {
      auto const& one = secret_.neighbours[i];
      Key32 common;
      if (!x25519_agree(secret_.share_secret, one.share_key, common)) return {};
      secret_.common.items[i] = common.bytes;
      std::memcpy(plain.value.data(), &of_seed.items[i], sizeof(Share));
      std::memcpy(plain.value.data() + sizeof(Share), &of_key.items[i], sizeof(Share));
      encrypt(plain.value, cipher_key(common, secret_.root, context_.client, one.client),
              std::span(ciphers).subspan(i * cipher_size, cipher_size));
    }
    if (terms_.graph.complete()) {
      secret_.shares.items.resize(1);
      secret_.shares.items.front() = {of_seed.items.back(), of_key.items.back()};
    }
    return to_letter(shares_kind, ciphers);
  }

  /// Adds the masks to the words: one for each partner, and the client's own.
  template <class Word>
  [[nodiscard]] bool mask(Letter const& question, std::span<Word> words) {
    auto partners = from_letter<Partners>(partners_kind, question);
    if (!strictly_ascending(partners.ids) || partners.ciphers.size() != partners.ids.size() * cipher_size) return false;
    bool const complete = terms_.graph.complete();
    if (partners.ids.size() + (complete ? 1 : 0) < terms_.graph.threshold) return false;
    WipedVector<SharePair> shares{std::vector<SharePair>(partners.ids.size() + (complete ? 1 : 0))};
    if (complete) shares.items.back() = secret_.shares.items.front();
    secret_.shares = std::move(shares);
    for (std::size_t i = 0; i < partners.ids.size(); ++i) {
      auto const* const one = neighbour(partners.ids[i]);
      if (one == nullptr) return false;
      Key32 common(secret_.common.items[static_cast<std::size_t>(one - secret_.neighbours.data())]);
      SharePair& share = secret_.shares.items[i];
      Wiped<std::array<std::uint8_t, plain_size>> plain;
      if (decrypt(std::span(partners.ciphers).subspan(i * cipher_size, cipher_size),
                  cipher_key(common, secret_.root, one->client, context_.client), plain.value))
        std::memcpy(&share, plain.value.data(), plain_size);
      else
        share.of_seed[0] = share.of_key[0] = no_share;  // this neighbour loses one holder of its secrets
      if (!x25519_agree(secret_.mask_secret, one->mask_key, common)) return false;
      add_mask(words, pair_key(common, secret_.root, context_.client, one->client), context_.client > one->client);
    }
    add_mask(words, self_key(secret_.seed, secret_.root, context_.client), false);
    secret_.partners = std::move(partners.ids);
    secret_.heard = heard_after(secret_.heard, question);
    // From now on the client needs only the shares of others.
    for (Key32* key : {&secret_.mask_secret, &secret_.share_secret, &secret_.seed}) wipe(key->bytes);
    wipe(secret_.common.items);
    return true;
  }

  /// Malicious server: signs the list of the clients whose messages arrived. The client signs one list in a round.
  [[nodiscard]] Letter signed_list(Letter const& question) {
    auto survivors = from_letter<std::vector<std::uint8_t>>(survivors_kind, question);
    auto const ids = sorted_ids(context_.round.asked);
    if (!bits_of(survivors, ids.size())) return {};
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!bit_at(survivors, i)) continue;
      if (!bit_at(secret_.present, i)) return {};
      ++count;
    }
    if (count < std::max(terms_.graph.threshold, context_.round.minimum_reports)) return {};
    secret_.survivors = std::move(survivors);
    if (!survived(ids, context_.client)) return {};
    // Every neighbour on the list must be one that this client shares a mask with. Otherwise a server that hides
    // partners could open the sum of a part of the list.
    for (auto const& one : secret_.neighbours)
      if (survived(ids, one.client) && !std::ranges::binary_search(secret_.partners, one.client)) return {};
    return to_letter(signed_list_kind, identities_.sign(context_.client, list_digest(secret_.root, secret_.survivors)));
  }

  /// For each partner one share: of the seed if its message arrived, of its key if it did not. Never both.
  [[nodiscard]] Letter revealed(Letter const& question) {
    std::vector<bool> arrived(secret_.partners.size());
    if constexpr (malicious) {
      auto const ids = sorted_ids(context_.round.asked);
      if (!enough_signatures(from_letter<ListSignatures>(signatures_kind, question), ids)) return {};
      for (std::size_t i = 0; i < arrived.size(); ++i) arrived[i] = survived(ids, secret_.partners[i]);
    } else {
      auto const bits = from_letter<std::vector<std::uint8_t>>(survivors_kind, question);
      if (!bits_of(bits, arrived.size())) return {};
      for (std::size_t i = 0; i < arrived.size(); ++i) arrived[i] = bit_at(bits, i);
    }
    bool const complete = terms_.graph.complete();
    auto const alive = static_cast<std::uint64_t>(std::ranges::count(arrived, true));
    if (alive + (complete ? 1 : 0) < terms_.graph.threshold) return {};
    std::vector<Share> out(secret_.shares.items.size());
    for (std::size_t i = 0; i < arrived.size(); ++i)
      out[i] = arrived[i] ? secret_.shares.items[i].of_seed : secret_.shares.items[i].of_key;
    if (complete) out.back() = secret_.shares.items.back().of_seed;
    return to_letter(revealed_kind, out);
  }

 private:
  [[nodiscard]] RoundKeys<S> const* neighbour(ClientId id) const {
    auto const found = std::ranges::lower_bound(secret_.neighbours, id, {}, &RoundKeys<S>::client);
    return found != secret_.neighbours.end() && found->client == id ? &*found : nullptr;
  }
  [[nodiscard]] bool survived(std::span<ClientId const> ids, ClientId id) const {
    auto const found = std::ranges::lower_bound(ids, id);
    return found != ids.end() && *found == id &&
           bit_at(secret_.survivors, static_cast<std::size_t>(found - ids.begin()));
  }

  /// Whether the client accepts the roster. A client that does not trust the server checks that the ids are different,
  /// because from then on it counts places in the list of ids as clients. It also checks that the root commits to all keys
  /// and to its own, that the graph follows from the root, and that every neighbour signed its keys.
  [[nodiscard]] bool takes(Roster<S> const& roster) {
    std::vector<ClientId> given;
    for (auto const& one : roster.neighbours) given.push_back(one.client);
    if (!strictly_ascending(given) || std::ranges::binary_search(given, context_.client)) return false;
    if (given.size() > terms_.graph.neighbours) return false;
    if constexpr (malicious) {
      auto const ids = sorted_ids(context_.round.asked);
      if (!asked_once(ids, context_.client)) return false;
      std::size_t const n = ids.size();
      if (roster.leaves.size() != n || root_of(terms_, ids, roster.leaves) != roster.root) return false;
      SecureRing const ring(terms_.graph, ids, roster.root);
      std::size_t const mine = ring.index_of(context_.client);
      if (roster.leaves[mine] != leaf_of(terms_, secret_.own)) return false;
      secret_.present.assign((n + 7) / 8, 0);
      std::uint64_t present = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (roster.leaves[i] != Bytes32{}) {
          set_bit(secret_.present, i);
          ++present;
        }
      if (present < std::max(terms_.graph.threshold, context_.round.minimum_reports)) return false;
      auto expected = ring.neighbours_of(mine);
      std::erase_if(expected, [&](ClientId id) { return !bit_at(secret_.present, ring.index_of(id)); });
      if (expected != given) return false;
      for (auto const& one : roster.neighbours) {
        auto const leaf = leaf_of(terms_, one);
        if (leaf != roster.leaves[ring.index_of(one.client)]) return false;
        if (!identities_.verify(one.client, leaf, one.signature)) return false;
      }
    }
    return true;
  }

  /// Whether t neighbours (with a complete graph also the client itself) signed the list that this client signed.
  [[nodiscard]] bool enough_signatures(ListSignatures const& from, std::span<ClientId const> ids) const {
    if (!strictly_ascending(from.ids) || from.signatures.size() != from.ids.size()) return false;
    auto const digest = list_digest(secret_.root, secret_.survivors);
    std::uint64_t good = terms_.graph.complete() ? 1 : 0;
    for (std::size_t i = 0; i < from.ids.size() && good < terms_.graph.threshold; ++i)
      if (neighbour(from.ids[i]) != nullptr && survived(ids, from.ids[i]) &&
          identities_.verify(from.ids[i], digest, from.signatures[i]))
        ++good;
    return good >= terms_.graph.threshold;
  }

  ClientSecret<S>& secret_;
  RoundTerms const& terms_;
  SealContext const& context_;
  Identities const& identities_;
};

}  // namespace fltr::detail::secure
