#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/shamir.hpp>
#include <fltr/aggregators/detail/sodium.hpp>
#include <fltr/aggregators/secure_graph.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/chacha20.hpp>
#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/wipe.hpp>
#include <fltr/data/client.hpp>

/// What the client's and the server's half of a secure sum have in common: the letters, and all that is derived from
/// public facts. Bonawitz et al. (2017) with the neighbour graph of Bell et al. (2020).
namespace fltr::detail::secure {

// ---- letters

struct NoSignature {
  auto fields(auto&& visit) { return visit(); }
};

/// What a client publishes for one round.
template <SecureServer S>
struct RoundKeys {
  ClientId client = 0;
  Bytes32 mask_key{};    ///< X25519; its secret half is shared among the neighbours
  Bytes32 share_key{};   ///< X25519; encrypts the shares, and its secret half never leaves the client
  Bytes32 commitment{};  ///< to the seed of the client's own mask
  std::conditional_t<S == SecureServer::malicious, Signature, NoSignature> signature{};

  auto fields(auto&& visit) { return visit(client, mask_key, share_key, commitment, signature); }
};

/// To each client: the keys of its neighbours that answered. A client that does not trust the server also gets the
/// leaves of all clients that were asked, in the order of their ids (zeros: no keys), from which it computes the root
/// and the graph itself.
template <SecureServer S>
struct Roster {
  Bytes32 root{};
  std::vector<Bytes32> leaves{};
  std::vector<RoundKeys<S>> neighbours{};
  auto fields(auto&& visit) { return visit(root, leaves, neighbours); }
};

/// To each client: its neighbours that sent shares, and their encrypted shares for this client.
struct Partners {
  std::vector<ClientId> ids{};
  std::vector<std::uint8_t> ciphers{};
  auto fields(auto&& visit) { return visit(ids, ciphers); }
};

/// To a client of a malicious server: signatures of its neighbours on the list of survivors.
struct ListSignatures {
  std::vector<ClientId> ids{};
  std::vector<Signature> signatures{};
  auto fields(auto&& visit) { return visit(ids, signatures); }
};

inline constexpr std::string_view keys_kind = "secure sum: keys";
inline constexpr std::string_view roster_kind = "secure sum: roster";
inline constexpr std::string_view shares_kind = "secure sum: shares";
inline constexpr std::string_view partners_kind = "secure sum: partners";
inline constexpr std::string_view survivors_kind = "secure sum: survivors";
inline constexpr std::string_view signed_list_kind = "secure sum: signed list";
inline constexpr std::string_view signatures_kind = "secure sum: signatures";
inline constexpr std::string_view revealed_kind = "secure sum: revealed shares";
inline constexpr std::uint32_t secure_letter_version = 1;

template <Field T>
[[nodiscard]] Letter to_letter(std::string_view kind, T const& content) {
  return enclose({"letter", kind, secure_letter_version}, field_bytes(content));
}
template <Field T>
[[nodiscard]] T from_letter(std::string_view kind, Letter const& letter) {
  FieldReader reader(payload_of({"letter", kind, secure_letter_version}, letter));
  T content{};
  reader.read(content);
  reader.expect_end();
  return content;
}

/// The shares of one client's two secrets.
struct SharePair {
  Share of_seed{};
  Share of_key{};
  auto fields(auto&& visit) { return visit(of_seed, of_key); }
};
inline constexpr std::size_t plain_size = sizeof(SharePair);
inline constexpr std::size_t cipher_size = plain_size + tag_size;
/// Stands for a share that a client could not decrypt.
inline constexpr std::uint64_t no_share = ~std::uint64_t{0};

// ---- what is derived from public facts

/// The digest of everything that all clients and the server must agree on before the round.
struct RoundTerms {
  SecureGraph graph{};
  Bytes32 digest{};
};

template <SecureServer S>
[[nodiscard]] Bytes32 leaf_of(RoundTerms const& terms, RoundKeys<S> const& keys) {
  return Blake2b("fltr secure sum keys 1")
      .add(terms.digest)
      .add(keys.client)
      .add(keys.mask_key)
      .add(keys.share_key)
      .add(keys.commitment)
      .digest();
}
[[nodiscard]] inline Bytes32 commitment_of(RoundTerms const& terms, ClientId client, Key32 const& seed) {
  return Blake2b("fltr secure sum seed 1", seed.bytes).add(terms.digest).add(client).digest();
}
/// Continues the digest of all letters that a client got: with it the server notices a letter that changed on its way.
[[nodiscard]] inline Bytes32 heard_after(Bytes32 const& before, Letter const& letter) {
  return Blake2b("fltr secure sum heard 1")
      .add(before)
      .add(std::span(reinterpret_cast<std::uint8_t const*>(letter.data()), letter.size()))
      .digest();
}
/// Commits to the keys of all clients. `ids` in ascending order.
[[nodiscard]] inline Bytes32 root_of(RoundTerms const& terms, std::span<ClientId const> ids,
                                     std::span<Bytes32 const> leaves) {
  Blake2b hash("fltr secure sum root 1");
  hash.add(terms.digest).add(static_cast<std::uint64_t>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) hash.add(ids[i]).add(leaves[i]);
  return hash.digest();
}
[[nodiscard]] inline Bytes32 list_digest(Bytes32 const& root, std::span<std::uint8_t const> survivors) {
  return Blake2b("fltr secure sum list 1").add(root).add(survivors).digest();
}
/// The key of the mask of a pair, from the secret that the two have in common.
[[nodiscard]] inline Key32 pair_key(Key32 const& common, Bytes32 const& root, ClientId a, ClientId b) {
  return Blake2b("fltr secure sum mask 1", common.bytes).add(root).add(std::min(a, b)).add(std::max(a, b)).key();
}
[[nodiscard]] inline Key32 self_key(Key32 const& seed, Bytes32 const& root, ClientId client) {
  return Blake2b("fltr secure sum self mask 1", seed.bytes).add(root).add(client).key();
}
[[nodiscard]] inline Key32 cipher_key(Key32 const& common, Bytes32 const& root, ClientId from, ClientId to) {
  return Blake2b("fltr secure sum share 1", common.bytes).add(root).add(from).add(to).key();
}
[[nodiscard]] inline std::uint64_t point_of(ClientId holder) noexcept { return std::uint64_t{holder} + 1; }

/// The neighbours of clients: a ring of all clients that were asked, in an order that the root decides, in which each
/// client is a neighbour of the next k/2 on both sides; or all clients. A client that did not answer keeps its place.
class SecureRing {
 public:
  SecureRing() = default;
  SecureRing(SecureGraph const& graph, std::vector<ClientId> sorted_ids, Bytes32 const& root)
      : ids_(std::move(sorted_ids)), reach_(graph.complete() ? 0 : graph.neighbours / 2) {
    if (reach_ == 0) return;
    order_.resize(ids_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    Key256 key{};
    for (std::size_t i = 0; i < root.size(); ++i) key[i / 4] |= std::uint32_t{root[i]} << (8 * (i % 4));
    Stream stream = Stream::secret(key, {});
    stream.shuffle(std::span(order_));
    place_.resize(order_.size());
    for (std::size_t p = 0; p < order_.size(); ++p) place_[order_[p]] = static_cast<std::uint32_t>(p);
  }

  [[nodiscard]] std::vector<ClientId> const& ids() const noexcept { return ids_; }
  /// The index of an id in `ids`, or its size.
  [[nodiscard]] std::size_t index_of(ClientId id) const {
    auto const found = std::ranges::lower_bound(ids_, id);
    return found != ids_.end() && *found == id ? static_cast<std::size_t>(found - ids_.begin()) : ids_.size();
  }
  /// In ascending order.
  [[nodiscard]] std::vector<ClientId> neighbours_of(std::size_t index) const {
    std::vector<ClientId> out;
    if (reach_ == 0) {
      out = ids_;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(index));
      return out;
    }
    std::size_t const n = ids_.size();
    for (std::size_t far = 1; far <= reach_; ++far) {
      out.push_back(ids_[order_[(place_[index] + far) % n]]);
      out.push_back(ids_[order_[(place_[index] + n - far) % n]]);
    }
    std::ranges::sort(out);
    return out;
  }
  auto fields(auto&& visit) { return visit(ids_, order_, place_, reach_); }

 private:
  std::vector<ClientId> ids_;
  std::vector<std::uint32_t> order_;  // indices in ids_, around the ring
  std::vector<std::uint32_t> place_;  // of each index on the ring
  std::uint64_t reach_ = 0;           // 0: all are neighbours
};

[[nodiscard]] inline std::vector<ClientId> sorted_ids(std::span<ClientId const> ids) {
  std::vector<ClientId> out(ids.begin(), ids.end());
  std::ranges::sort(out);
  return out;
}
[[nodiscard]] inline bool strictly_ascending(std::span<ClientId const> ids) {
  return std::ranges::adjacent_find(ids, std::ranges::greater_equal{}) == ids.end();
}
/// Whether the sorted ids are different and have that of this client.
[[nodiscard]] inline bool asked_once(std::span<ClientId const> sorted, ClientId client) {
  return strictly_ascending(sorted) && std::ranges::binary_search(sorted, client);
}
[[nodiscard]] inline bool bit_at(std::span<std::uint8_t const> bits, std::size_t i) noexcept {
  return ((unsigned{bits[i / 8]} >> (i % 8)) & 1U) != 0;
}
inline void set_bit(std::span<std::uint8_t> bits, std::size_t i) noexcept {
  bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (1U << (i % 8)));
}
/// Whether the bits have the size of a list of n, with zeros behind its end.
[[nodiscard]] inline bool bits_of(std::span<std::uint8_t const> bits, std::size_t n) noexcept {
  return bits.size() == (n + 7) / 8 && (n % 8 == 0 || (bits.back() >> (n % 8)) == 0);
}

}  // namespace fltr::detail::secure
