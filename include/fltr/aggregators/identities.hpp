#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fltr/aggregators/detail/sodium.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/wipe.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

/// The public key of a client, by which others know it (Ed25519).
using PublicIdentity = std::array<std::uint8_t, 32>;

/// The key with which a client signs. It cannot be copied, and its destructor overwrites it.
class SigningKey {
 public:
  /// From 32 secret random bytes.
  [[nodiscard]] static SigningKey from_seed(std::array<std::uint8_t, 32> const& seed) {
    detail::secure::require_sodium();
    SigningKey key;
    crypto_sign_ed25519_seed_keypair(key.identity_.data(), key.secret_.data(), seed.data());
    return key;
  }
  /// From the random bits of the operating system.
  [[nodiscard]] static SigningKey from_system() {
    detail::secure::require_sodium();
    SigningKey key;
    crypto_sign_ed25519_keypair(key.identity_.data(), key.secret_.data());
    return key;
  }
  SigningKey(SigningKey const&) = delete;
  SigningKey& operator=(SigningKey const&) = delete;
  SigningKey(SigningKey&& other) noexcept : identity_(other.identity_), secret_(other.secret_) { wipe(other.secret_); }
  SigningKey& operator=(SigningKey&& other) noexcept {
    identity_ = other.identity_;
    std::swap(secret_, other.secret_);
    return *this;
  }
  ~SigningKey() { wipe(secret_); }

  [[nodiscard]] PublicIdentity const& identity() const noexcept { return identity_; }
  [[nodiscard]] std::array<std::uint8_t, 64> sign(std::array<std::uint8_t, 32> const& digest) const {
    std::array<std::uint8_t, 64> out{};
    crypto_sign_ed25519_detached(out.data(), nullptr, digest.data(), digest.size(), secret_.data());
    return out;
  }

 private:
  SigningKey() = default;
  PublicIdentity identity_{};
  std::array<std::uint8_t, 64> secret_{};
};

/// The identities of all clients, which come from outside: a server that distributed them itself could invent clients.
/// A client also has its own SigningKey; the server has none. Copies are cheap.
class Identities {
 public:
  Identities() = default;

  /// For the server: the identities alone. For a client: also its id and its key.
  [[nodiscard]] static Identities known(std::map<ClientId, PublicIdentity> all) {
    Identities out;
    out.all_ = std::make_shared<std::map<ClientId, PublicIdentity> const>(std::move(all));
    return out;
  }
  [[nodiscard]] static Identities known(std::map<ClientId, PublicIdentity> all, ClientId own, SigningKey key) {
    Identities out = known(std::move(all));
    std::map<ClientId, SigningKey> keys;
    keys.emplace(own, std::move(key));
    out.keys_ = std::make_shared<std::map<ClientId, SigningKey> const>(std::move(keys));
    return out;
  }

  /// For simulations: the keys of all clients, computed from a public seed. They identify nobody.
  [[nodiscard]] static Identities simulated(std::span<ClientId const> ids, std::uint64_t seed = 0) {
    detail::secure::require_sodium();
    std::map<ClientId, PublicIdentity> all;
    std::map<ClientId, SigningKey> keys;
    for (ClientId const id : ids) {
      auto key = SigningKey::from_seed(detail::secure::Blake2b("fltr simulated identity").add(seed).add(id).digest());
      all.emplace(id, key.identity());
      keys.emplace(id, std::move(key));
    }
    Identities out = known(std::move(all));
    out.keys_ = std::make_shared<std::map<ClientId, SigningKey> const>(std::move(keys));
    return out;
  }

  [[nodiscard]] bool verify(ClientId id, std::array<std::uint8_t, 32> const& digest,
                            std::array<std::uint8_t, 64> const& signature) const {
    if (!all_) return false;
    auto const found = all_->find(id);
    return found != all_->end() && detail::secure::signed_by(found->second, digest, signature);
  }
  [[nodiscard]] std::array<std::uint8_t, 64> sign(ClientId id, std::array<std::uint8_t, 32> const& digest) const {
    auto const* const key = key_of(id);
    if (key == nullptr) throw_requirement("Identities", "the signing key of the client", std::to_string(id));
    return key->sign(digest);
  }

  /// The public identities; keys are secret and not among them.
  auto members(auto&& visit) const {
    static std::map<ClientId, PublicIdentity> const none;
    return visit(all_ ? *all_ : none);
  }

 private:
  [[nodiscard]] SigningKey const* key_of(ClientId id) const {
    if (!keys_) return nullptr;
    auto const found = keys_->find(id);
    return found == keys_->end() ? nullptr : &found->second;
  }
  std::shared_ptr<std::map<ClientId, PublicIdentity> const> all_{};
  std::shared_ptr<std::map<ClientId, SigningKey> const> keys_{};
};

}  // namespace fltr
