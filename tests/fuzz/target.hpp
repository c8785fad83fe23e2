#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// FLTR_FUZZ_TARGET(name) { ... } defines a fuzzing target with the parameters `data` and `size`. With libFuzzer a
/// program has one target. With FLTR_FUZZ_REPLAY, replay.cpp runs all targets on the files of their corpus.
#ifdef FLTR_FUZZ_REPLAY
#define FLTR_FUZZ_TARGET(name) void fuzz_##name(std::uint8_t const* data, std::size_t size)
#else
#define FLTR_FUZZ_TARGET(name)                                                        \
  static void fuzz_##name(std::uint8_t const* data, std::size_t size);                \
  extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) { \
    fuzz_##name(data, size);                                                          \
    return 0;                                                                         \
  }                                                                                   \
  static void fuzz_##name(std::uint8_t const* data, std::size_t size)
#endif

namespace fltr::testing {

/// Ends the program if a property does not hold.
inline void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace fltr::testing
