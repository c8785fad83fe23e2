#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

/// The clients that a round charges: all of a population, or those at some positions. Positions are kept in chunks of
/// 4,096: none, the first ones of the chunk, or one bit for each. So all clients take no memory, a sample takes 512 bytes for
/// each chunk that it meets, and no choice takes more than one bit per client.
class ChargedClients {
 public:
  static constexpr std::uint32_t chunk_size = 4096;

  /// A chunk with at least one of the clients.
  struct Chunk {
    std::uint32_t number = 0;           ///< its first position / chunk_size
    std::uint32_t count = 0;            ///< how many of its positions are charged
    std::vector<std::uint64_t> bits{};  ///< by position; empty: the first `count` positions

    /// Calls visit(k) for each charged position chunk_size · number + k, rising.
    template <class Visit>
    void for_each(Visit const& visit) const {
      if (bits.empty())
        for (std::uint32_t k = 0; k < count; ++k) visit(k);
      for (std::uint32_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
          visit(64 * w + static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  };

  /// All clients.
  ChargedClients() = default;
  /// The clients at these positions, rising.
  ChargedClients(std::initializer_list<std::uint32_t> positions) : all_(false) {
    for (std::uint32_t const i : positions) add(i);
  }
  [[nodiscard]] static ChargedClients none() {
    ChargedClients out;
    out.all_ = false;
    return out;
  }

  /// Adds a client to a choice. Positions must rise.
  void add(std::uint32_t position) {
    require(!all_ && position >= next_, "ChargedClients::add", "a position that rises", position);
    next_ = std::uint64_t{position} + 1;
    ++count_;
    if (chunks_.empty() || chunks_.back().number != position / chunk_size)
      chunks_.push_back({position / chunk_size, 0, {}});
    Chunk& chunk = chunks_.back();
    std::uint32_t const k = position % chunk_size;
    if (chunk.bits.empty() && k != chunk.count) {
      chunk.bits.resize(chunk_size / 64);
      for (std::uint32_t first = 0; first < chunk.count; ++first) set(chunk, first);
    }
    if (!chunk.bits.empty()) set(chunk, k);
    ++chunk.count;
  }

  /// Whether these are all clients of any population.
  [[nodiscard]] bool all() const noexcept { return all_; }
  /// Whether these are all of so many clients.
  [[nodiscard]] bool all_of(std::uint64_t clients) const noexcept { return all_ || count_ == clients; }
  /// The number of clients of a choice.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Of a choice, rising.
  [[nodiscard]] std::vector<Chunk> const& chunks() const& noexcept { return chunks_; }
  void chunks() const&& = delete;

  /// Calls visit(position) for each client of a choice, rising.
  template <class Visit>
  void for_each(Visit const& visit) const {
    for (Chunk const& chunk : chunks_) chunk.for_each([&](std::uint32_t k) { visit(chunk.number * chunk_size + k); });
  }

 private:
  static void set(Chunk& chunk, std::uint32_t k) { chunk.bits[k / 64] |= std::uint64_t{1} << k % 64; }

  bool all_ = true;
  std::uint64_t count_ = 0;
  std::uint64_t next_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace fltr
