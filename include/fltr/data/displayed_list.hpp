#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/data/grade.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// The documents that a user sees, in rank order: their grades, and their features for click models that read them. A
/// view that is passed by reference. It converts to its grades, which is all that most click models take.
class DisplayedList {
 public:
  /// `order` are the displayed documents of the query and `grades` their grades, both in rank order.
  DisplayedList(QueryView query, std::span<std::uint32_t const> order, std::span<Grade const> grades) noexcept
      : query_(query), order_(order), grades_(grades) {}

  [[nodiscard]] std::size_t size() const noexcept { return grades_.size(); }
  /// The grades in rank order.
  [[nodiscard]] std::span<Grade const> grades() const noexcept { return grades_; }
  /// The features of the document at a rank; ranks count from 0 here.
  [[nodiscard]] std::span<float const> features(std::size_t rank) const noexcept { return query_.row(order_[rank]); }

  operator std::span<Grade const>() const noexcept { return grades_; }

 private:
  QueryView query_;
  std::span<std::uint32_t const> order_;
  std::span<Grade const> grades_;
};

}  // namespace fltr
