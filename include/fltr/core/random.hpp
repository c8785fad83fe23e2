#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <fltr/core/chacha20.hpp>
#include <fltr/core/detail/normal_lanes.hpp>
#include <fltr/core/detail/philox.hpp>
#include <fltr/core/detail/philox_lanes.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/uint128.hpp>
#include <fltr/core/wipe.hpp>

namespace fltr {

/// The purpose of a stream of random numbers. Streams of two purposes share no number, so that adding noise to a
/// message does not change the queries that clients ask. Values of `user` and above are free for custom policies.
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
  clusters = 32,             ///< a client's first cluster (Clustered)
  fine_tuning = 33,          ///< local steps after the last round (fine_tune)
  shared_data = 34,          ///< the queries that all clients get (SharedData)
  buckets = 35,              ///< the server's order of messages (Bucketing)
  gap_statistic = 36,        ///< the server's reference samples (FlDetector)
  message_hash = 37,         ///< the key of the hash that binds noise to a message (privatized)
  exchange_reporting = 256,  ///< 256 to 511: one value for each exchange of a sealing aggregator
  user = 1000,
};

/// A stream of random numbers. It has its own distributions. Those of `std` differ between standard libraries, and
/// `std::log` differs between processors. Construction and copies are cheap. A copy continues at the same position. The
/// destructor of a stream with a secret key overwrites the key and the numbers.
///
/// A simulation uses Philox, which is fast but not a cipher: a small seed can be found from one output by trying all
/// seeds. A client outside a simulation uses ChaCha20 with its own key.
class Stream {
 public:
  using result_type = std::uint32_t;

  /// A stream of Philox.
  constexpr Stream(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 4> counter) noexcept
      : key_{key[0], key[1]}, counter_(counter) {}

  /// A stream of ChaCha20.
  [[nodiscard]] static constexpr Stream secret(Key256 const& key, std::array<std::uint32_t, 4> counter) noexcept {
    Stream out({}, counter);
    out.key_ = key;
    out.secret_ = true;
    return out;
  }

  /// A stream of Philox for tests and small programs. A federation derives its streams from `Streams`.
  constexpr explicit Stream(std::uint64_t seed = 0) noexcept
      : Stream({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}, {}) {}

  constexpr Stream(Stream const&) noexcept = default;
  constexpr Stream& operator=(Stream const&) noexcept = default;
  constexpr ~Stream() {
    if (!secret_) return;
    wipe(key_);
    wipe(block_);
  }

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

  /// Uniform on the open interval (0, 1), 52 bits. With 53 bits the largest value would be rounded to 1.
  [[nodiscard]] constexpr double uniform() noexcept { return (static_cast<double>(bits64() >> 12U) + 0.5) * 0x1p-52; }

  /// Fills the span with the numbers that repeated calls of `uniform` return. Philox computes 16 numbers at a time in
  /// vector registers.
  void uniforms(std::span<double> out) noexcept {
    std::size_t i = 0;
    if (!secret_ && next_ % 2 == 0) {
      while (next_ < block_.size() && i < out.size()) out[i++] = uniform();
      std::array<std::uint32_t, 2> const key{key_[0], key_[1]};
      for (; out.size() - i >= 16; i += 16) {
        detail::philox_uniforms(counter_, key, &out[i]);
        counter_[0] += 8;
      }
      // Two blocks make four numbers. The blocks of a last incomplete four are left to `refill`. With registers of 128
      // bits, 16 numbers take longer than three calls of `refill`.
      if (std::size_t const fours = (out.size() - i) / 4; fours >= 2 && simd::native_doubles > 2) {
        std::array<double, 16> numbers;
        detail::philox_uniforms(counter_, key, numbers.data());
        counter_[0] += static_cast<std::uint32_t>(2 * fours);
        for (std::size_t j = 0; j < 4 * fours; ++j) out[i + j] = numbers[j];
        i += 4 * fours;
      }
    }
    for (; i < out.size(); ++i) out[i] = uniform();
  }

  /// True with this probability, rounded to 32 bits.
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
    Uint128 product = Uint128{bits64()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      std::uint64_t const threshold = (0U - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = Uint128{bits64()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  /// Standard normal, by the transform of Box and Muller.
  [[nodiscard]] double normal() noexcept {
    double const first = uniform();
    return detail::normal_lanes(first, uniform());
  }

  /// Fills the span with the numbers that repeated calls of `normal` return, 8 at a time.
  void normals(std::span<double> out) noexcept {
    std::size_t i = 0;
    for (; i + 8 <= out.size(); i += 8) {
      std::array<double, 16> numbers;
      uniforms(numbers);
      detail::normals_of_uniforms(numbers.data(), &out[i]);
    }
    for (; i < out.size(); ++i) out[i] = normal();
  }

  /// Gamma with scale 1 (Marsaglia and Tsang 2000; for a shape below 1 with their power of a uniform number). For a
  /// tiny shape the result often underflows to 0. The result is never NaN.
  [[nodiscard]] double gamma(double shape) {
    require(shape > 0 && std::isfinite(shape), "Stream::gamma", "a finite shape > 0", shape);
    double factor = 1.0;
    if (shape < 1.0) {
      factor = math::exp(math::log(uniform()) / shape);
      if (factor == 0.0) return 0.0;
      shape += 1.0;
    }
    double const d = shape - 1.0 / 3.0;
    double const c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      double const x = normal();
      double const base = 1.0 + c * x;
      double const v = base * base * base;
      if (!(v > 0.0)) continue;
      double const u = uniform();
      double const square = x * x;
      // The first condition holds for nearly all draws and implies the second.
      if (u < 1.0 - 0.0331 * square * square || math::log(u) < 0.5 * square + d * (1.0 - v + math::log(v)))
        return d * v * factor;
    }
  }

  /// Laplace with mean 0 and the given scale, by inversion.
  [[nodiscard]] double laplace(double scale) {
    require(scale >= 0 && std::isfinite(scale), "Stream::laplace", "a finite scale >= 0", scale);
    double const u = uniform();
    return u < 0.5 ? scale * math::log(2.0 * u) : -scale * math::log(2.0 * (1.0 - u));
  }

  /// An index, drawn with a probability proportional to its weight.
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

  /// Shuffles in place. Every order is equally likely (Fisher and Yates). Requires at most 2^32 items.
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

  /// Computes two blocks, so that the processor overlaps their chains of multiplications.
  constexpr void refill_fast() noexcept {
    std::array<std::uint32_t, 2> const key{key_[0], key_[1]};
    auto second_counter = counter_;
    ++second_counter[0];
    auto const first = detail::philox4x32(counter_, key);
    auto const second = detail::philox4x32(second_counter, key);
    counter_[0] += 2;
    for (std::size_t i = 0; i < 4; ++i) {
      block_[i] = first[i];
      block_[4 + i] = second[i];
    }
  }

  /// Uses the first half of a block of ChaCha20. The second half is not used.
  [[gnu::noinline]] constexpr void refill_secret() noexcept {
    auto block = chacha20_block(key_, counter_);
    ++counter_[0];
    for (std::size_t i = 0; i < 8; ++i) block_[i] = block[i];
    wipe(block);
  }

  Key256 key_;  // Philox uses the first two words only
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 8> block_{};
  std::uint32_t next_ = 8;
  bool secret_ = false;
};

/// All random numbers of one client in one round. A stream is a function of (seed, purpose, round, client), so that no
/// result depends on the order in which threads work.
///
/// The seed of a simulation is public: reports contain it, and 64 bits of output are enough to find a small seed by
/// trying all seeds. Outside a simulation a client sets `key`, which replaces the seed.
struct Streams {
  std::uint64_t seed = 0;
  std::uint32_t round = 0;
  std::uint32_t client = 0;
  bool replay = false;  ///< in the replay of a round by an unlearner, which uses other numbers than the round itself
  OptionalKey key{};    ///< the key of one message of a client outside a simulation (see ClientKey)
  std::uint64_t content = 0;  ///< of a simulation: 64 bits more than `seed` of what they are bound to, see bound_to

  /// The stream of this purpose.
  [[nodiscard]] constexpr Stream of(Purpose purpose) const noexcept {
    std::uint32_t const code = static_cast<std::uint32_t>(purpose) | (replay ? 0x8000'0000U : 0U);
    std::array<std::uint32_t, 4> const counter{0, code, round ^ static_cast<std::uint32_t>(content),
                                               client ^ static_cast<std::uint32_t>(content >> 32U)};
    if (key) return Stream::secret(*key, counter);
    return Stream({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}, counter);
  }

  /// Streams for everything with this content: those of another content are independent of them, and of these. Noise
  /// that is drawn from them cannot be repeated on another message (compare RFC 6979). All 128 bits count: in a simulation
  /// two contents never have the same `seed` and `content`.
  [[nodiscard]] constexpr Streams bound_to(std::uint64_t low, std::uint64_t high) const noexcept {
    std::array<std::uint32_t, 4> position{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32U),
                                          static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32U)};
    Streams out = *this;
    if (key) {
      auto block = chacha20_block(*key, position);
      Key256 own{};  // the half of a block that Stream does not use
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = block[own.size() + i];
      out.key = own;
      wipe(own);
      wipe(block);
      wipe(position);
    } else {
      Stream mixed({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}, position);
      out.seed = mixed.bits64();
      out.content = mixed.bits64();
    }
    return out;
  }

  /// Streams that are independent of these. Their seed or key is drawn from `source`, a stream of these Streams.
  [[nodiscard]] constexpr Streams derived(Stream& source) const noexcept {
    Streams out = *this;
    out.seed = source.bits64();
    if (key) {
      Key256 own{};
      for (std::uint32_t& word : own) word = source();
      out.key = own;
      wipe(own);
    }
    return out;
  }
};

}  // namespace fltr
