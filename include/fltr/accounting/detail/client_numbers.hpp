#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <fltr/accounting/charged_clients.hpp>

namespace fltr::detail {

/// A number below 2^16 for each of many clients, at first 0. A chunk of neighbours with the same number takes no memory
/// beside its entry, and one whose numbers are 0 not even that. Others take 1, 2, 4, 8 or 16 bits per client, as the
/// largest number of the chunk needs.
class ClientNumbers {
 public:
  static constexpr std::uint32_t chunk_size = ChargedClients::chunk_size;

  [[nodiscard]] std::uint32_t operator[](std::uint64_t i) const {
    auto const found = chunks_.find(static_cast<std::uint32_t>(i / chunk_size));
    return found == chunks_.end() ? 0 : found->second.at(static_cast<std::uint32_t>(i % chunk_size));
  }

  /// Replaces the numbers of a choice of the clients by f(number, k): k ≥ 1 of them with this number become the result.
  template <class F>
  void change(ChargedClients const& choice, std::uint64_t clients, F const& f) {
    for (auto const& chosen : choice.chunks()) {
      Chunk& own = chunks_[chosen.number];
      if (own.bits == 0 && chosen.count == size_of(chosen.number, clients))
        own.number = f(own.number, chosen.count);
      else
        chosen.for_each([&](std::uint32_t k) { own.set(k, f(own.at(k), 1U)); });
    }
  }

  /// Calls visit(number) for the numbers of a choice of the clients; equal neighbours may be visited once.
  template <class Visit>
  void for_each(ChargedClients const& choice, Visit const& visit) const {
    for (auto const& chosen : choice.chunks()) {
      auto const found = chunks_.find(chosen.number);
      if (found == chunks_.end() || found->second.bits == 0)
        visit(found == chunks_.end() ? 0U : found->second.number);
      else
        chosen.for_each([&](std::uint32_t k) { visit(found->second.at(k)); });
    }
  }

  /// Calls visit(first, count, number) for all clients; runs of equal numbers may be visited in parts.
  template <class Visit>
  void for_each(std::uint64_t clients, Visit const& visit) const {
    std::uint64_t next = 0;
    auto const skip_to = [&](std::uint64_t first) {
      if (first > next) visit(next, first - next, 0U);
    };
    for (auto const& [number, chunk] : chunks_) {
      std::uint64_t const first = std::uint64_t{number} * chunk_size;
      std::uint32_t const size = size_of(number, clients);
      skip_to(first);
      if (chunk.bits == 0)
        visit(first, std::uint64_t{size}, chunk.number);
      else
        for (std::uint32_t k = 0; k < size; ++k) visit(first + k, std::uint64_t{1}, chunk.at(k));
      next = first + size;
    }
    skip_to(clients);
  }

  /// Whether no client has a number of its own yet.
  [[nodiscard]] bool empty() const noexcept { return chunks_.empty(); }

  /// Whether these are numbers of so many clients, for values that were read from bytes.
  [[nodiscard]] bool consistent(std::uint64_t clients) const {
    return std::ranges::all_of(chunks_, [&](auto const& entry) {
      auto const& [number, chunk] = entry;
      return std::uint64_t{number} * chunk_size < clients && chunk.bits <= 16 &&
             (chunk.bits == 0 || std::has_single_bit(chunk.bits)) &&
             chunk.words.size() == std::size_t{chunk_size} * chunk.bits / 64;
    });
  }

  auto fields(auto&& visit) { return visit(chunks_); }

 private:
  struct Chunk {
    std::uint32_t number = 0;  // of all clients of the chunk, if bits = 0
    std::uint32_t bits = 0;    // per client
    std::vector<std::uint64_t> words{};

    [[nodiscard]] std::uint32_t at(std::uint32_t k) const {
      if (bits == 0) return number;
      std::uint64_t const mask = (std::uint64_t{1} << bits) - 1;
      return static_cast<std::uint32_t>(words[k * bits / 64] >> k * bits % 64 & mask);
    }
    void set(std::uint32_t k, std::uint32_t value) {
      if (bits == 0 && value == number) return;
      if (std::max(value, number) >> bits != 0 || bits == 0) widen(std::max(value, number));
      std::uint64_t const mask = (std::uint64_t{1} << bits) - 1;
      std::uint64_t& word = words[k * bits / 64];
      word = (word & ~(mask << k * bits % 64)) | std::uint64_t{value} << k * bits % 64;
    }
    void widen(std::uint32_t largest) {
      Chunk wide{0, std::bit_ceil(std::max(1U, static_cast<std::uint32_t>(std::bit_width(largest)))), {}};
      wide.bits = std::max(wide.bits, bits);
      wide.words.resize(std::size_t{chunk_size} * wide.bits / 64);
      for (std::uint32_t k = 0; k < chunk_size; ++k)
        wide.words[k * wide.bits / 64] |= std::uint64_t{at(k)} << k * wide.bits % 64;
      *this = std::move(wide);
    }
    auto fields(auto&& visit) { return visit(number, bits, words); }
  };

  [[nodiscard]] static std::uint32_t size_of(std::uint32_t chunk, std::uint64_t clients) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_size, clients - std::uint64_t{chunk} * chunk_size));
  }

  std::map<std::uint32_t, Chunk> chunks_;  // by their numbers; missing: all 0
};

}  // namespace fltr::detail
