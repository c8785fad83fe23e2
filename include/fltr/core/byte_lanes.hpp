#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fltr/core/simd.hpp>

namespace fltr::simd {

#if FLTR_HAS_XSIMD

/// Signed bytes in one register, 32 of them or 16: those of AVX-512 are not used, since xsimd 8 cannot select bytes
/// there. Comparisons give a byte of ones where they hold, else of zeros.
class Bytes {
  using Wide = xsimd::make_sized_batch_t<std::int8_t, 32>;
  using Narrow = xsimd::make_sized_batch_t<std::int8_t, 16>;
  using Batch = std::conditional_t<std::is_void_v<Wide>, Narrow, Wide>;

 public:
  static constexpr std::size_t size = Batch::size;

  Bytes() = default;
  static Bytes load(std::int8_t const* from) { return Batch::load_unaligned(from); }
  static Bytes filled(std::int8_t value) { return Batch(value); }
  void store(std::int8_t* to) const { value_.store_unaligned(to); }

  friend Bytes operator&(Bytes a, Bytes b) { return a.value_ & b.value_; }
  friend Bytes operator|(Bytes a, Bytes b) { return a.value_ | b.value_; }
  friend Bytes operator~(Bytes a) { return ~a.value_; }
  friend Bytes operator-(Bytes a, Bytes b) { return a.value_ - b.value_; }
  friend Bytes operator>(Bytes a, Bytes b) { return as_bytes(a.value_ > b.value_); }
  friend Bytes operator==(Bytes a, Bytes b) { return as_bytes(a.value_ == b.value_); }

 private:
  Bytes(Batch value) : value_(value) {}

  // On x86 a truth value is such a byte already; as a number it is 1.
  template <class Truth>
  static Bytes as_bytes(Truth truth) {
    if constexpr (requires { Batch(truth.data); })
      return Batch(truth.data);
    else
      return Batch(std::int8_t{0}) - Batch(truth);
  }

  Batch value_;
};

#else

/// Without xsimd: sixteen bytes in plain loops, which compilers turn into vector instructions where they can.
class Bytes {
 public:
  static constexpr std::size_t size = 16;

  static Bytes load(std::int8_t const* from) {
    return make([&](std::size_t i) { return from[i]; });
  }
  static Bytes filled(std::int8_t value) {
    return make([&](std::size_t) { return value; });
  }
  void store(std::int8_t* to) const {
    for (std::size_t i = 0; i < size; ++i) to[i] = value_[i];
  }

  friend Bytes operator&(Bytes const& a, Bytes const& b) {
    return make([&](std::size_t i) { return a.value_[i] & b.value_[i]; });
  }
  friend Bytes operator|(Bytes const& a, Bytes const& b) {
    return make([&](std::size_t i) { return a.value_[i] | b.value_[i]; });
  }
  friend Bytes operator~(Bytes const& a) {
    return make([&](std::size_t i) { return ~a.value_[i]; });
  }
  friend Bytes operator-(Bytes const& a, Bytes const& b) {
    return make([&](std::size_t i) { return a.value_[i] - b.value_[i]; });
  }
  friend Bytes operator>(Bytes const& a, Bytes const& b) {
    return make([&](std::size_t i) { return a.value_[i] > b.value_[i] ? -1 : 0; });
  }
  friend Bytes operator==(Bytes const& a, Bytes const& b) {
    return make([&](std::size_t i) { return a.value_[i] == b.value_[i] ? -1 : 0; });
  }

 private:
  template <class F>
  static Bytes make(F value_of) {
    Bytes out;
    for (std::size_t i = 0; i < size; ++i) out.value_[i] = static_cast<std::int8_t>(value_of(i));
    return out;
  }

  std::array<std::int8_t, size> value_;
};

#endif

}  // namespace fltr::simd
