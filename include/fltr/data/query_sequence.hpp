#pragma once

#include <cstddef>
#include <cstdint>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/draw_at.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/data/secrecy.hpp>

namespace fltr {

/// A pool whose queries are asked in their order, like a log that is sorted by time. Interaction i of round r asks
/// query (r − 1) · interactions + i, modulo the number of queries: after the last query the first one follows.
///
/// The position depends on the round and not on earlier draws. A client that does not take part in a round skips the
/// queries of that round. No random number is drawn.
struct QuerySequence {
  QueryPool pool;

  [[nodiscard]] std::size_t size() const noexcept { return pool.size(); }
  [[nodiscard]] QueryView operator[](std::size_t i) const& noexcept { return pool[i]; }
  void operator[](std::size_t) const&& = delete;
  /// See Dataset::scaled_by.
  [[nodiscard]] ScaledBy scaled_by() const noexcept { return pool.scaled_by(); }
  /// See QueryPool::by_number.
  [[nodiscard]] QueryView by_number(std::uint32_t query) const& { return pool.by_number(query); }
  void by_number(std::uint32_t) const&& = delete;

  /// Throws std::invalid_argument if the pool is empty or the round is 0.
  [[nodiscard]] QueryView draw(DrawAt const& at, Stream&) const& {
    require(size() > 0, "QuerySequence::draw", "at least one query", size());
    require(at.round > 0, "QuerySequence::draw", "a round of at least 1", at.round);
    std::uint64_t const asked = std::uint64_t{at.round - 1} * at.interactions + at.interaction;
    return pool[asked % size()];
  }
  void draw(DrawAt const&, Stream&) const&& = delete;
};

}  // namespace fltr
