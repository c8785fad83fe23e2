#pragma once

#include <concepts>
#include <optional>
#include <span>

#include <fltr/data/query_view.hpp>

namespace fltr {

/// A list as a Metric sees it: grades in rank order, and all grades of the query from the highest to the lowest. For a
/// metric on clicks, the clicks take the place of the grades.
struct RankedList {
  std::span<Grade const> grades;
  std::span<Grade const> ideal;
};

/// A **Metric** turns one ranked list into a number, or into nothing where its convention skips the list.
///
/// | required           | meaning                                                                          |
/// | ------------------ | -------------------------------------------------------------------------------- |
/// | `m.measure(list)`  | const; std::optional<double> (a plain double will do)                            |
/// | `m.cutoff`         | how many ranks it looks at; 0 for all                                            |
///
///     struct TopIsRelevant {
///       std::size_t cutoff = 1;
///       double measure(fltr::RankedList list) const { return !list.grades.empty() && list.grades[0] > 0; }
///     };
///     static_assert(fltr::Metric<TopIsRelevant>);
///
/// Models: Ndcg, Dcg, AveragePrecision, Precision, ReciprocalRank, MaxRr, ExpectedReciprocalRank, ExpectedMaxRr.
template <class M>
concept Metric = requires(M const& m, RankedList list) {
  { m.measure(list) } -> std::convertible_to<std::optional<double>>;
  { m.cutoff } -> std::convertible_to<std::size_t>;
};

}  // namespace fltr
