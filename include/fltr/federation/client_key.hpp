#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <system_error>

#include <fltr/core/chacha20.hpp>
#include <fltr/core/wipe.hpp>

namespace fltr {

/// The secret from which a real client derives the random numbers of its messages, noise included. `next` makes a new
/// key for every message: it mixes fresh random bits of the operating system into the secret, derives the key, and
/// replaces the secret. Therefore no two messages share noise, also after a fork or after a restart with a stored
/// secret. A stolen secret does not reveal the noise of earlier messages.
///
/// It cannot be copied. Its destructor overwrites the secret. The key of a message is overwritten when the message is
/// made, with all copies of it in streams.
class ClientKey {
 public:
  /// A new secret: 256 random bits of the operating system.
  [[nodiscard]] static ClientKey from_system() {
    Wiped<Key256> bits;
    fill_from_system(bits.value);
    return ClientKey(bits.value, true);
  }

  /// A secret from a key store.
  [[nodiscard]] static ClientKey from_secret(Key256 const& words) noexcept { return ClientKey(words, true); }

  /// For tests: the keys are a function of the words. A client that starts again repeats its noise, and the difference
  /// of two such messages reveals the difference of the client's data.
  [[nodiscard]] static ClientKey repeatable(Key256 const& words) noexcept { return ClientKey(words, false); }

  ClientKey(ClientKey const&) = delete;
  ClientKey& operator=(ClientKey const&) = delete;
  ClientKey(ClientKey&& other) noexcept : words_(other.words_), mixes_(other.mixes_), usable_(other.usable_) {
    other.wipe();
  }
  ClientKey& operator=(ClientKey&& other) noexcept {
    if (this == &other) return *this;
    words_ = other.words_;
    mixes_ = other.mixes_;
    usable_ = other.usable_;
    other.wipe();
    return *this;
  }
  ~ClientKey() { wipe(); }

  /// The key of the next message. Throws std::logic_error after a move, and std::system_error if the operating system
  /// returns no random bits.
  [[nodiscard]] OptionalKey next() {
    if (!usable_) throw std::logic_error("ClientKey::next: required a key, got one that was moved from");
    if (mixes_) {
      Wiped<Key256> fresh;
      fill_from_system(fresh.value);
      for (std::size_t i = 0; i < words_.size(); ++i) words_[i] ^= fresh.value[i];
    }
    auto block = chacha20_block(words_, {0, 0, 0, 0});
    Wiped<Key256> message_key;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = block[i];
      message_key.value[i] = block[words_.size() + i];
    }
    fltr::wipe(block);
    return message_key.value;
  }

 private:
  ClientKey(Key256 const& words, bool mixes) noexcept : words_(words), mixes_(mixes) {}

  static void fill_from_system(Key256& words) {
    for (std::size_t done = 0; done < sizeof words;) {
      auto const got = ::getrandom(reinterpret_cast<unsigned char*>(words.data()) + done, sizeof words - done, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw std::system_error(errno, std::generic_category(), "ClientKey: getrandom failed");
      done += static_cast<std::size_t>(got);
    }
  }

  void wipe() noexcept {
    fltr::wipe(words_);
    usable_ = false;
  }

  Key256 words_;
  bool mixes_;
  bool usable_ = true;
};

}  // namespace fltr
