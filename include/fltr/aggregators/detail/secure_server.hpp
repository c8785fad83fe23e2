#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/secure_round.hpp>
#include <fltr/aggregators/detail/shamir.hpp>
#include <fltr/aggregators/detail/sodium.hpp>
#include <fltr/aggregators/identities.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/parallel_tasks.hpp>

namespace fltr::detail::secure {

/// What the server keeps during a round. Lists are in the order of ids.
template <SecureServer S>
struct ServerRecord {
  std::map<ClientId, RoundKeys<S>> keys{};
  Bytes32 root{};
  SecureRing ring{};
  std::vector<Bytes32> leaves{};                            ///< of all clients that were asked; zeros: no keys
  std::map<ClientId, std::vector<ClientId>> neighbours{};   ///< that published keys
  std::map<ClientId, std::vector<std::uint8_t>> ciphers{};  ///< by sender, in the order of its neighbours
  std::vector<ClientId> sharing{};                          ///< clients that sent shares
  std::vector<ClientId> reported{};                         ///< of these, clients that sent a message
  std::map<ClientId, Signature> signatures{};               ///< on the list of survivors
  std::map<ClientId, std::vector<Share>> revealed{};        ///< by the client that revealed them

  auto fields(auto&& visit) {
    return visit(keys, root, ring, leaves, neighbours, ciphers, sharing, reported, signatures, revealed);
  }
};

/// The server's half of a secure sum: functions of its record.
template <SecureServer S>
class SecureServerHalf {
  static constexpr bool malicious = S == SecureServer::malicious;

 public:
  SecureServerHalf(ServerRecord<S> const& record, RoundTerms const& terms) : record_(record), terms_(terms) {}

  // ---- questions

  [[nodiscard]] Letter roster(ClientId to) const {
    Roster<S> out;
    out.root = record_.root;
    if constexpr (malicious) out.leaves = record_.leaves;
    if (auto const found = record_.neighbours.find(to); found != record_.neighbours.end())
      for (ClientId const id : found->second) out.neighbours.push_back(record_.keys.at(id));
    return to_letter(roster_kind, out);
  }
  [[nodiscard]] Letter partners(ClientId to) const {
    Partners out;
    out.ids = partners_of(to);
    for (ClientId const from : out.ids) {
      auto const& receivers = record_.neighbours.at(from);
      auto const place = static_cast<std::size_t>(std::ranges::lower_bound(receivers, to) - receivers.begin());
      auto const cipher = std::span(record_.ciphers.at(from)).subspan(place * cipher_size, cipher_size);
      out.ciphers.insert(out.ciphers.end(), cipher.begin(), cipher.end());
    }
    return to_letter(partners_kind, out);
  }
  /// Malicious: of all clients that were asked. Curious: of the partners of `to`.
  [[nodiscard]] Letter survivors(ClientId to) const {
    std::vector<ClientId> const of = malicious ? record_.ring.ids() : partners_of(to);
    std::vector<std::uint8_t> bits((of.size() + 7) / 8);
    for (std::size_t i = 0; i < of.size(); ++i)
      if (std::ranges::binary_search(record_.reported, of[i])) set_bit(bits, i);
    return to_letter(survivors_kind, bits);
  }
  [[nodiscard]] Letter signatures(ClientId to) const {
    ListSignatures out;
    if (auto const found = record_.neighbours.find(to); found != record_.neighbours.end())
      for (ClientId const id : found->second)
        if (auto const of = record_.signatures.find(id); of != record_.signatures.end()) {
          out.ids.push_back(id);
          out.signatures.push_back(of->second);
        }
    return to_letter(signatures_kind, out);
  }

  // ---- answers

  /// The neighbours of a client that sent shares.
  [[nodiscard]] std::vector<ClientId> partners_of(ClientId id) const {
    std::vector<ClientId> out;
    auto const found = record_.neighbours.find(id);
    if (found == record_.neighbours.end()) return out;
    std::ranges::set_intersection(found->second, record_.sharing, std::back_inserter(out));
    return out;
  }
  [[nodiscard]] std::size_t revealed_size(ClientId from) const {
    return partners_of(from).size() + (terms_.graph.complete() ? 1 : 0);
  }

  /// Whether a client used the keys and the partners that the server sent it, and the server has the client's keys.
  [[nodiscard]] bool heard(ClientId from, Bytes32 const& digest) const {
    auto const keys = record_.keys.find(from);
    if (keys == record_.keys.end()) return false;
    return heard_after(heard_after(leaf_of(terms_, keys->second), roster(from)), partners(from)) == digest;
  }

  // ---- the sum

  /// Removes all masks from the sum of the messages. False: too few shares, or shares that do not restore the secrets
  /// that the clients committed to.
  template <class Word>
  [[nodiscard]] bool unmask(std::span<Word> total, std::size_t threads) const {
    std::size_t const owners = record_.sharing.size();
    if (record_.reported.size() < (terms_.graph.complete() ? terms_.graph.threshold : 1)) return false;
    auto const shares = gathered_shares();
    // A few large tasks, each with a sum of its own. The order does not matter: the sums are whole numbers.
    std::size_t const tasks = std::min<std::size_t>(owners, 64);
    std::vector<std::vector<Word>> parts(tasks, std::vector<Word>(total.size()));
    std::atomic<bool> good = true;
    parallel_tasks(tasks, threads, [&](std::size_t task) {
      for (std::size_t i = task; i < owners && good; i += tasks)
        if (!remove_masks_of(record_.sharing[i], shares[i], std::span<Word>(parts[task]))) good = false;
    });
    if (!good) return false;
    for (auto const& part : parts)
      for (std::size_t i = 0; i < total.size(); ++i) total[i] = static_cast<Word>(total[i] + part[i]);
    return true;
  }

 private:
  /// For each client that sent shares, up to t shares of the secret that has to be restored.
  [[nodiscard]] std::vector<std::vector<PointShare>> gathered_shares() const {
    std::vector<std::vector<PointShare>> out(record_.sharing.size());
    for (auto const& [from, shares] : record_.revealed) {
      auto const add = [&, point = point_of(from)](ClientId owner, Share const& share) {
        auto& of =
            out[static_cast<std::size_t>(std::ranges::lower_bound(record_.sharing, owner) - record_.sharing.begin())];
        if (of.size() < terms_.graph.threshold && proper(share)) of.push_back({point, share});
      };
      auto const partners = partners_of(from);
      for (std::size_t i = 0; i < partners.size(); ++i) add(partners[i], shares[i]);
      if (terms_.graph.complete()) add(from, shares.back());
    }
    return out;
  }

  template <class Word>
  [[nodiscard]] bool remove_masks_of(ClientId owner, std::vector<PointShare> const& shares, std::span<Word> sum) const {
    Key32 secret;
    if (shares.size() < terms_.graph.threshold || !restore_secret(shares, secret.bytes)) return false;
    auto const& keys = record_.keys.at(owner);
    if (std::ranges::binary_search(record_.reported, owner)) {
      if (commitment_of(terms_, owner, secret) != keys.commitment) return false;
      add_mask(sum, self_key(secret, record_.root, owner), true);
      return true;
    }
    if (x25519_public(secret) != keys.mask_key) return false;
    // The masks that the owner would have added cancel those that its partners added for it.
    for (ClientId const partner : partners_of(owner)) {
      if (!std::ranges::binary_search(record_.reported, partner)) continue;
      Key32 common;
      if (!x25519_agree(secret, record_.keys.at(partner).mask_key, common)) return false;
      add_mask(sum, pair_key(common, record_.root, owner, partner), owner > partner);
    }
    return true;
  }

  ServerRecord<S> const& record_;
  RoundTerms const& terms_;
};

}  // namespace fltr::detail::secure
