#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

#include <fltr/core/chacha20.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Philox4x32-10 (Salmon et al. 2011): 128 random bits as a pure function of a counter and a key.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                                std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const a = std::uint64_t{0xD2511F53U} * counter[0];
    std::uint64_t const b = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// What a stream of random numbers is for. Two purposes never share a number, so that adding noise to a message does
/// not change which queries are asked. Values from `user` on are free for custom policies.
enum class Purpose : std::uint32_t {
  start = 1,
  participants,
  queries,
  ranking,
  clicks,
  perturbation,
  privacy,
  attack,
  partition,
  synthetic,
  logging,
  reporting,
  logging_policy,
  categories,
  seal,
  exchange_reporting = 256,  ///< and the 255 values after it: one for each exchange of a sealing aggregator
  user = 1000,
};

/// A stream of random numbers: our own distributions, since those of `std` differ between libraries. Cheap to make and
/// to copy; a copy goes on from the same place.
///
/// A simulation draws from Philox, which is fast but not a cipher: a small seed is found from one output by trial. A
/// real client draws from ChaCha20 under a key of its own.
class Stream {
 public:
  using result_type = std::uint32_t;

  /// Philox.
  constexpr Stream(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 4> counter) noexcept
      : key_{key[0], key[1]}, counter_(counter) {}

  /// ChaCha20.
  [[nodiscard]] static constexpr Stream secret(Key256 const& key, std::array<std::uint32_t, 4> counter) noexcept {
    Stream out({}, counter);
    out.key_ = key;
    out.secret_ = true;
    return out;
  }

  /// For tests and small programs; a federation derives its streams from `Streams`.
  constexpr explicit Stream(std::uint64_t seed = 0) noexcept
      : Stream({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}, {}) {}

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return 0xFFFFFFFFU; }

  constexpr result_type operator()() noexcept {
    if (next_ == block_.size()) refill();
    return block_[next_++];
  }

  [[nodiscard]] constexpr std::uint64_t bits64() noexcept {
    std::uint64_t const high = (*this)();
    return (high << 32U) | (*this)();
  }

  /// Uniform on the open interval (0, 1), 52 bits: with one more, the largest value would round up to 1.
  [[nodiscard]] constexpr double uniform() noexcept { return (static_cast<double>(bits64() >> 12U) + 0.5) * 0x1p-52; }

  /// True with this probability, to 32 bits.
  [[nodiscard]] constexpr bool bernoulli(double probability) noexcept {
    return (static_cast<double>((*this)()) + 0.5) * 0x1p-32 < probability;
  }

  /// Uniform on {0, …, bound − 1} without bias (Lemire 2019). Requires bound > 0.
  [[nodiscard]] constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    std::uint64_t product = std::uint64_t{(*this)()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      std::uint32_t const threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{(*this)()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

  /// Uniform on {0, …, bound − 1} without bias, for bounds beyond 32 bits. Requires bound > 0.
  [[nodiscard]] constexpr std::uint64_t below64(std::uint64_t bound) noexcept {
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide{bits64()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      std::uint64_t const threshold = (0U - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = Wide{bits64()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  /// Standard normal, by Box and Muller.
  [[nodiscard]] double normal() noexcept {
    double const radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Gamma with scale 1 (Marsaglia and Tsang 2000; below shape 1 with their power of a uniform). A tiny shape often
  /// underflows to 0, never to NaN.
  [[nodiscard]] double gamma(double shape) {
    require(shape > 0 && std::isfinite(shape), "Stream::gamma", "a finite shape > 0", shape);
    double factor = 1.0;
    if (shape < 1.0) {
      factor = std::exp(std::log(uniform()) / shape);
      if (factor == 0.0) return 0.0;
      shape += 1.0;
    }
    double const d = shape - 1.0 / 3.0;
    double const c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      double const x = normal();
      double const base = 1.0 + c * x;
      double const v = base * base * base;
      if (v > 0.0 && std::log(uniform()) < 0.5 * x * x + d * (1.0 - v + std::log(v))) return d * v * factor;
    }
  }

  /// Laplace with mean 0 and the given scale, by inversion.
  [[nodiscard]] double laplace(double scale) {
    require(scale >= 0 && std::isfinite(scale), "Stream::laplace", "a finite scale >= 0", scale);
    double const u = uniform();
    return u < 0.5 ? scale * std::log(2.0 * u) : -scale * std::log(2.0 * (1.0 - u));
  }

  /// An index drawn with probability proportional to its weight.
  [[nodiscard]] std::size_t categorical(std::span<double const> weights) {
    double total = 0.0;
    std::size_t last = weights.size();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      require(weights[i] >= 0, "Stream::categorical", "weights >= 0", weights[i]);
      total += weights[i];
      if (weights[i] > 0) last = i;
    }
    require(total > 0 && std::isfinite(total), "Stream::categorical", "a finite sum of weights > 0", total);
    double left = uniform() * total;
    for (std::size_t i = 0; i < last; ++i) {
      left -= weights[i];
      if (left < 0) return i;
    }
    return last;
  }

  /// Shuffles in place, every order equally likely (Fisher and Yates). At most 2^32 items.
  template <class T>
  constexpr void shuffle(std::span<T> items) noexcept {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  constexpr void refill() noexcept {
    if (secret_)
      refill_secret();
    else
      refill_fast();
    next_ = 0;
  }

  /// Two blocks at once: their chains of multiplications overlap.
  constexpr void refill_fast() noexcept {
    std::array<std::uint32_t, 2> const key{key_[0], key_[1]};
    auto second_counter = counter_;
    ++second_counter[0];
    auto const first = philox4x32(counter_, key);
    auto const second = philox4x32(second_counter, key);
    counter_[0] += 2;
    for (std::size_t i = 0; i < 4; ++i) {
      block_[i] = first[i];
      block_[4 + i] = second[i];
    }
  }

  /// Half of a block of ChaCha20; the other half is never used.
  [[gnu::noinline]] constexpr void refill_secret() noexcept {
    auto const block = chacha20_block(key_, counter_);
    ++counter_[0];
    for (std::size_t i = 0; i < 8; ++i) block_[i] = block[i];
  }

  Key256 key_;  // Philox needs the first two words
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 8> block_{};
  std::uint32_t next_ = 8;
  bool secret_ = false;
};

/// All randomness of one client in one round: the purpose picks the stream. Being a function of (seed, purpose, round,
/// client), no result depends on which thread works first.
///
/// The seed of a simulation is public: it stands in reports, and 64 bits of output are enough to find a small seed by
/// trial. At a real client `key` takes its place.
struct Streams {
  std::uint64_t seed = 0;
  std::uint32_t round = 0;
  std::uint32_t client = 0;
  bool replay = false;  ///< forgetting replays rounds, and must not ask the same queries again
  OptionalKey key{};    ///< of one message of a real client (see ClientKey)

  [[nodiscard]] constexpr Stream of(Purpose purpose) const noexcept {
    std::uint32_t const code = static_cast<std::uint32_t>(purpose) | (replay ? 0x8000'0000U : 0U);
    std::array<std::uint32_t, 4> const counter{0, code, round, client};
    if (key) return Stream::secret(*key, counter);
    return Stream({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}, counter);
  }

  /// Streams that share nothing with these: their seed or key is drawn from `source`, a stream of these.
  [[nodiscard]] constexpr Streams derived(Stream& source) const noexcept {
    Streams out = *this;
    out.seed = source.bits64();
    if (key) {
      Key256 own{};
      for (std::uint32_t& word : own) word = source();
      out.key = own;
    }
    return out;
  }
};

}  // namespace fltr
