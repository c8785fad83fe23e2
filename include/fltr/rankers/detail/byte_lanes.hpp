#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <xsimd/xsimd.hpp>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// 32 or 16 signed bytes in one register. 64 bytes of AVX-512 are not used, because xsimd 8 cannot select bytes there.
/// A comparison gives a byte of ones where it is true and of zeros where it is false.
class ByteLanes {
  using Wide = xsimd::make_sized_batch_t<std::int8_t, 32>;
  using Narrow = xsimd::make_sized_batch_t<std::int8_t, 16>;
  using Batch = std::conditional_t<std::is_void_v<Wide>, Narrow, Wide>;

 public:
  static constexpr std::size_t size = Batch::size;

  ByteLanes() = default;
  static ByteLanes load(std::int8_t const* from) { return Batch::load_unaligned(from); }
  static ByteLanes filled(std::int8_t value) { return Batch(value); }
  void store(std::int8_t* to) const { value_.store_unaligned(to); }

  friend ByteLanes operator&(ByteLanes a, ByteLanes b) { return a.value_ & b.value_; }
  friend ByteLanes operator|(ByteLanes a, ByteLanes b) { return a.value_ | b.value_; }
  friend ByteLanes operator~(ByteLanes a) { return ~a.value_; }
  friend ByteLanes operator-(ByteLanes a, ByteLanes b) { return a.value_ - b.value_; }
  friend ByteLanes operator>(ByteLanes a, ByteLanes b) { return as_bytes(a.value_ > b.value_); }
  friend ByteLanes operator==(ByteLanes a, ByteLanes b) { return as_bytes(a.value_ == b.value_); }

 private:
  ByteLanes(Batch value) : value_(value) {}

  // On x86 a truth value already is such a byte; on other processors it is converted to the number 1.
  template <class Truth>
  static ByteLanes as_bytes(Truth truth) {
    if constexpr (requires { Batch(truth.data); })
      return Batch(truth.data);
    else
      return Batch(std::int8_t{0}) - Batch(truth);
  }

  Batch value_;
};

}  // namespace fltr::detail
