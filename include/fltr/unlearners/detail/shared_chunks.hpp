#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// A sequence of chunks of numbers that never change. Copies share the chunks, so that a copy of a long history costs
/// little. It is a Field: a sequence of vectors.
class SharedChunks {
 public:
  using value_type = std::vector<float>;

  class Iterator {
   public:
    explicit Iterator(std::shared_ptr<value_type> const* at) : at_(at) {}
    [[nodiscard]] value_type const& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    [[nodiscard]] bool operator==(Iterator const&) const = default;

   private:
    std::shared_ptr<value_type> const* at_;
  };

  void push_back(value_type chunk) { chunks_.push_back(std::make_shared<value_type>(std::move(chunk))); }
  void pop_back() { chunks_.pop_back(); }
  [[nodiscard]] value_type const& operator[](std::size_t i) const { return *chunks_[i]; }
  [[nodiscard]] value_type const& back() const { return *chunks_.back(); }
  [[nodiscard]] bool empty() const noexcept { return chunks_.empty(); }

  // What FieldWriter and FieldReader need. A chunk that is being read is not shared yet.
  [[nodiscard]] std::size_t size() const noexcept { return chunks_.size(); }
  [[nodiscard]] Iterator begin() const { return Iterator(chunks_.data()); }
  [[nodiscard]] Iterator end() const { return Iterator(chunks_.data() + chunks_.size()); }
  void clear() { chunks_.clear(); }
  value_type& emplace_back() { return *chunks_.emplace_back(std::make_shared<value_type>()); }

 private:
  std::vector<std::shared_ptr<value_type>> chunks_;
};

}  // namespace fltr::detail
