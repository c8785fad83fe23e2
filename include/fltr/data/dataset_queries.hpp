#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

#include <range/v3/range_fwd.hpp>

#include <fltr/data/query_view.hpp>

namespace fltr {

class Dataset;

/// The queries of a Dataset, in order: a random-access view whose elements are QueryViews. Works with the algorithms
/// and views of `std` and of range-v3. Valid as long as the Dataset.
class DatasetQueries : public ranges::view_base {
 public:
  class iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // `*` returns a value
    using value_type = QueryView;
    using difference_type = std::ptrdiff_t;
    using reference = QueryView;
    using pointer = void;

    iterator() = default;
    iterator(Dataset const& data, std::size_t query) noexcept
        : data_(&data), query_(static_cast<difference_type>(query)) {}

    [[nodiscard]] QueryView operator*() const noexcept;  // defined in dataset.hpp
    [[nodiscard]] QueryView operator[](difference_type n) const noexcept { return *(*this + n); }

    iterator& operator++() noexcept { return *this += 1; }
    iterator operator++(int) noexcept {
      iterator const before = *this;
      ++*this;
      return before;
    }
    iterator& operator--() noexcept { return *this -= 1; }
    iterator operator--(int) noexcept {
      iterator const before = *this;
      --*this;
      return before;
    }
    iterator& operator+=(difference_type n) noexcept {
      query_ += n;
      return *this;
    }
    iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    friend iterator operator+(iterator i, difference_type n) noexcept { return i += n; }
    friend iterator operator+(difference_type n, iterator i) noexcept { return i += n; }
    friend iterator operator-(iterator i, difference_type n) noexcept { return i -= n; }
    friend difference_type operator-(iterator const& a, iterator const& b) noexcept { return a.query_ - b.query_; }
    friend bool operator==(iterator const& a, iterator const& b) noexcept { return a.query_ == b.query_; }
    friend std::strong_ordering operator<=>(iterator const& a, iterator const& b) noexcept {
      return a.query_ <=> b.query_;
    }

   private:
    Dataset const* data_ = nullptr;
    difference_type query_ = 0;
  };

  DatasetQueries() = default;
  DatasetQueries(iterator begin, iterator end) noexcept : begin_(begin), end_(end) {}

  [[nodiscard]] iterator begin() const noexcept { return begin_; }
  [[nodiscard]] iterator end() const noexcept { return end_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] QueryView operator[](std::size_t query) const noexcept {
    return begin_[static_cast<std::ptrdiff_t>(query)];
  }

 private:
  iterator begin_;
  iterator end_;
};

}  // namespace fltr
