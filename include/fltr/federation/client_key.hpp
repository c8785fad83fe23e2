#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fltr/core/chacha20.hpp>

namespace fltr {

/// The secret from which a real client draws the randomness of its messages, noise included. Every message takes a key
/// of its own (`next`), after which the secret is replaced by another one: no two messages share noise, and a stolen
/// secret does not reveal the noise of earlier messages. It cannot be copied, since two copies would draw the same
/// noise; it wipes its memory.
class ClientKey {
 public:
  /// 256 bits of the operating system.
  [[nodiscard]] static ClientKey from_system() {
    Key256 words{};
    std::size_t const size = sizeof words;
    for (std::size_t done = 0; done < size;) {
      auto const got = ::getrandom(reinterpret_cast<unsigned char*>(words.data()) + done, size - done, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw std::system_error(errno, std::generic_category(), "ClientKey: no random bits of the system");
      done += static_cast<std::size_t>(got);
    }
    return ClientKey(words);
  }

  /// For tests, and for secrets that come from a key store. Whoever knows the words knows the noise.
  explicit ClientKey(Key256 const& words) noexcept : words_(words) {}

  ClientKey(ClientKey const&) = delete;
  ClientKey& operator=(ClientKey const&) = delete;
  ClientKey(ClientKey&& other) noexcept : words_(other.words_), usable_(other.usable_) { other.wipe(); }
  ClientKey& operator=(ClientKey&& other) noexcept {
    if (this == &other) return *this;
    words_ = other.words_;
    usable_ = other.usable_;
    other.wipe();
    return *this;
  }
  ~ClientKey() { wipe(); }

  /// The key of the next message. A ClientKey that was moved from throws std::logic_error.
  [[nodiscard]] Key256 next() {
    if (!usable_) throw std::logic_error("ClientKey::next: required a key, got one that was moved from");
    auto const block = chacha20_block(words_, {0, 0, 0, 0});
    Key256 message_key;
    for (std::size_t i = 0; i < 8; ++i) {
      words_[i] = block[i];
      message_key[i] = block[8 + i];
    }
    return message_key;
  }

 private:
  void wipe() noexcept {
    ::explicit_bzero(words_.data(), sizeof words_);
    usable_ = false;
  }

  Key256 words_;
  bool usable_ = true;
};

}  // namespace fltr
