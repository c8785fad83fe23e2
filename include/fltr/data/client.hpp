#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

using ClientId = std::uint32_t;

/// The queries that a client may ask: all of a Dataset, or some of them. The Dataset must outlive it.
class QueryPool {
 public:
  QueryPool() = default;
  explicit QueryPool(Dataset const& data) noexcept : data_(&data) {}
  QueryPool(Dataset const& data, std::vector<std::uint32_t> chosen)
      : data_(&data), chosen_(std::make_shared<std::vector<std::uint32_t> const>(std::move(chosen))) {
    for (auto query : *chosen_) require(query < data.size(), "QueryPool", "queries of the dataset", query);
  }
  explicit QueryPool(Dataset const&&) = delete;
  QueryPool(Dataset const&&, std::vector<std::uint32_t>) = delete;
  // A move copies, so that the source stays usable and keeps its choice of queries.
  QueryPool(QueryPool const&) = default;
  QueryPool& operator=(QueryPool const&) = default;
  ~QueryPool() = default;

  [[nodiscard]] std::size_t size() const noexcept {
    return chosen_ ? chosen_->size() : data_ != nullptr ? data_->size() : 0;
  }
  /// Requires a pool that was made of a Dataset.
  [[nodiscard]] Dataset const& data() const {
    require(data_ != nullptr, "QueryPool::data", "a pool that was made of a Dataset", "an empty pool");
    return *data_;
  }
  [[nodiscard]] QueryView operator[](std::size_t i) const noexcept { return (*data_)[index(i)]; }
  /// The number in the Dataset of the i-th of them.
  [[nodiscard]] std::uint32_t index(std::size_t i) const noexcept {
    return chosen_ ? (*chosen_)[i] : static_cast<std::uint32_t>(i);
  }
  /// One of them, each equally likely. Throws std::invalid_argument if the pool is empty.
  [[nodiscard]] QueryView draw(Stream& stream) const {
    std::uint32_t const query = draw_index(stream);  // first: an empty pool has no Dataset
    return (*data_)[query];
  }
  /// The number in the Dataset of one of them.
  [[nodiscard]] std::uint32_t draw_index(Stream& stream) const {
    std::size_t const queries = size();
    require(queries > 0, "QueryPool::draw", "at least one query", queries);
    return index(stream.below(static_cast<std::uint32_t>(queries)));
  }

 private:
  Dataset const* data_ = nullptr;
  std::shared_ptr<std::vector<std::uint32_t> const> chosen_;  // shared by the copies of a client
};

/// What every client of a simulation has. A population may hand out a type with more (a click log, a merge set); it
/// keeps these members, and learners that need the rest ask for it.
struct Client {
  ClientId id = 0;
  std::uint32_t interactions = 4;  ///< queries asked per round
  QueryPool queries;
};

}  // namespace fltr
