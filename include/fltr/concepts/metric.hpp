#pragma once

#include <concepts>
#include <optional>
#include <span>

#include <fltr/data/query_view.hpp>

namespace fltr {

/// The argument of a Metric. For a metric of clicks, the clicks (0 or 1) replace the grades.
struct RankedList {
  std::span<Grade const> grades;  ///< of the ranked documents, in rank order
  std::span<Grade const> ideal;   ///< all grades of the query, from the highest to the lowest
};

/// A **Metric** measures one ranked list: it returns a number, or no value if its convention skips the list.
///
/// | required           | meaning                                                                          |
/// | ------------------ | -------------------------------------------------------------------------------- |
/// | `m.measure(list)`  | const; takes a RankedList, returns double or std::optional<double>               |
/// | `m.cutoff`         | std::size_t; the number of ranks that it reads; 0: all                           |
///
/// Not required: a value in [0, 1]; a state.
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
