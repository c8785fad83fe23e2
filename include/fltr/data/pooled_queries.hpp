#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/data/secrecy.hpp>

namespace fltr {

/// The queries of a client that has two pools: its own queries, and queries that it shares with others (see
/// SharedData). Each query of the two is equally likely, so the client draws from the pools in proportion to their
/// sizes. Without shared queries it draws like its own pool, from the same random numbers.
class PooledQueries {
 public:
  PooledQueries() = default;
  PooledQueries(QueryPool own, QueryPool shared) : own_(std::move(own)), shared_(std::move(shared)) {}

  [[nodiscard]] QueryPool const& own() const& noexcept { return own_; }
  [[nodiscard]] QueryPool own() const&& { return own_; }
  [[nodiscard]] QueryPool const& shared() const& noexcept { return shared_; }
  [[nodiscard]] QueryPool shared() const&& { return shared_; }

  /// The larger one of both pools, see Dataset::scaled_by.
  [[nodiscard]] ScaledBy scaled_by() const noexcept { return std::max(own_.scaled_by(), shared_.scaled_by()); }
  /// The number of queries of both pools.
  [[nodiscard]] std::size_t size() const noexcept { return own_.size() + shared_.size(); }
  /// Query i: first the client's own queries, then the shared ones.
  [[nodiscard]] QueryView operator[](std::size_t i) const& noexcept {
    return i < own_.size() ? own_[i] : shared_[i - own_.size()];
  }
  void operator[](std::size_t) const&& = delete;

  /// One of the queries, each equally likely. Throws std::invalid_argument if there is none.
  [[nodiscard]] QueryView draw(Stream& stream) const& {
    require(size() > 0, "PooledQueries::draw", "at least one query", size());
    return (*this)[stream.below(static_cast<std::uint32_t>(size()))];
  }
  void draw(Stream&) const&& = delete;

  auto members(auto&& visit) const { return visit(own_, shared_); }

 private:
  QueryPool own_;
  QueryPool shared_;
};

}  // namespace fltr
