#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fltr/core/simd.hpp>

namespace fltr::simd {

#if FLTR_HAS_XSIMD

/// As many signed bytes as a register of this machine holds. Comparisons give a byte of ones where they hold, else
/// zeros.
class Bytes {
  using Batch = xsimd::batch<std::int8_t>;
  using Truth = typename Batch::batch_bool_type;

 public:
  static constexpr std::size_t size = Batch::size;

  Bytes() = default;
  static Bytes load(std::int8_t const* from) { return Batch::load_unaligned(from); }
  static Bytes filled(std::int8_t value) { return Batch(value); }
  void store(std::int8_t* to) const { value_.store_unaligned(to); }

  friend Bytes operator&(Bytes a, Bytes b) { return a.value_ & b.value_; }
  friend Bytes operator|(Bytes a, Bytes b) { return a.value_ | b.value_; }
  friend Bytes operator~(Bytes a) { return ~a.value_; }
  friend Bytes operator+(Bytes a, Bytes b) { return a.value_ + b.value_; }
  friend Bytes operator-(Bytes a, Bytes b) { return a.value_ - b.value_; }
  friend Bytes operator>(Bytes a, Bytes b) { return as_bytes(a.value_ > b.value_); }
  friend Bytes operator==(Bytes a, Bytes b) { return as_bytes(a.value_ == b.value_); }

 private:
  Bytes(Batch value) : value_(value) {}

  // Where truth is kept in vector registers it already is a byte of ones; AVX-512 keeps one bit.
  static Bytes as_bytes(Truth truth) {
    if constexpr (sizeof(truth) == sizeof(Batch))
      return Batch(truth.data);
    else
      return xsimd::select(truth, Batch(std::int8_t{-1}), Batch(std::int8_t{0}));
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
  friend Bytes operator+(Bytes const& a, Bytes const& b) {
    return make([&](std::size_t i) { return a.value_[i] + b.value_[i]; });
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
