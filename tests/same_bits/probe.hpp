#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

/// The hash of a probe. It prints the hash of every part on stderr, so that a difference can be located.
class Probe {
 public:
  void add(std::uint64_t bits) { hash_ = (hash_ ^ bits) * 1099511628211U; }
  void add(double v) { add(std::bit_cast<std::uint64_t>(v)); }
  void add(float v) { add(std::uint64_t{std::bit_cast<std::uint32_t>(v)}); }
  void add_bytes(auto const& bytes) {
    for (auto const byte : bytes) add(static_cast<std::uint64_t>(byte));
  }

  /// Prints the hash of all that was added so far.
  void part(std::string_view name) {
    std::fprintf(stderr, "  %016llx %.*s\n", static_cast<unsigned long long>(hash_), static_cast<int>(name.size()),
                 name.data());
  }
  void print() const { std::printf("%016llx\n", static_cast<unsigned long long>(hash_)); }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};
