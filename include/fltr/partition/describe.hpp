#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/skew_report.hpp>

namespace fltr {

namespace detail {

using GradeCounts = std::array<std::uint64_t, largest_grade + 1>;

template <QuerySet S>
[[nodiscard]] GradeCounts count_grades(S const& queries) {
  GradeCounts counts{};
  for (std::size_t q = 0; q < queries.size(); ++q) {
    QueryView const query = queries[q];
    for (Grade const grade : query.grades()) ++counts[grade];
  }
  return counts;
}

/// Counts grades. The counts of whole Datasets are kept, because all clients of an IID population have the same one.
class GradeCounter {
 public:
  template <QuerySet S>
  [[nodiscard]] GradeCounts count(S const& queries) {
    if constexpr (std::is_same_v<S, QueryPool>)
      if (queries.is_whole() && queries.size() > 0) {
        QueryView const first = queries[0];
        auto const [entry, is_new] = seen_.try_emplace({first.rows(), first.grades().data(), queries.size()});
        if (is_new) entry->second = {queries, count_grades(queries)};
        return entry->second.second;
      }
    return count_grades(queries);
  }

 private:
  // The copy of the pool keeps its grades alive, so that no other grades have the same address.
  std::map<std::tuple<float const*, Grade const*, std::size_t>, std::pair<QueryPool, GradeCounts>> seen_;
};

/// The counts of clients, row after row. A row has as many numbers as the highest grade so far needs.
class GradeRows {
 public:
  explicit GradeRows(std::size_t clients) : clients_(clients) {}

  void add(GradeCounts const& counts) {
    std::size_t needed = counts.size();
    while (needed > width_ && counts[needed - 1] == 0) --needed;
    if (needed > width_) widen(needed);
    rows_.insert(rows_.end(), counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(width_));
    ++added_;
  }
  /// The highest grade so far, plus 1; 0 without documents.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::vector<std::uint64_t> take() && { return std::move(rows_); }

 private:
  /// Copies all rows: at most 31 times, once for each grade.
  void widen(std::size_t width) {
    std::vector<std::uint64_t> wider;
    wider.reserve(clients_ * width);
    for (std::size_t i = 0; i < added_; ++i) {
      auto const row = rows_.begin() + static_cast<std::ptrdiff_t>(i * width_);
      wider.insert(wider.end(), row, row + static_cast<std::ptrdiff_t>(width_));
      wider.resize((i + 1) * width);
    }
    rows_ = std::move(wider);
    width_ = width;
  }

  std::size_t clients_;
  std::size_t added_ = 0;
  std::size_t width_ = 0;
  std::vector<std::uint64_t> rows_;
};

}  // namespace detail

/// Counts what each client of a population has. The clients' member `queries` must be a QuerySet. Takes one pass over
/// the grades of all clients; the grades of a whole Dataset, which clients share, are counted once. Takes 8 bytes for
/// each client and grade (up to twice that while a higher grade appears for the first time) besides the ClientSkew.
template <Population P>
[[nodiscard]] SkewReport describe(P const& population) {
  static_assert(
      requires { requires QuerySet<std::remove_cvref_t<decltype(population[std::size_t{}].queries)>>; },
      "fltr: describe needs clients with a member 'queries' that is a QuerySet");
  SkewReport report;
  detail::GradeRows rows(population.size());
  report.clients.reserve(population.size());
  detail::GradeCounter counter;
  detail::GradeCounts whole{};
  for (std::size_t i = 0; i < population.size(); ++i) {
    auto const& client = population[i];
    detail::GradeCounts const counts = counter.count(client.queries);
    rows.add(counts);
    std::uint64_t documents = 0;
    for (std::size_t grade = 0; grade < whole.size(); ++grade) {
      documents += counts[grade];
      whole[grade] += counts[grade];
    }
    report.clients.push_back({client.id, client.interactions, client.queries.size(), documents, 0.0});
    report.queries += client.queries.size();
    report.documents += documents;
    report.interactions += client.interactions;
  }
  report.whole.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(rows.width()));
  report.grade_counts = std::move(rows).take();
  std::size_t with_documents = 0;
  for (std::size_t i = 0; i < report.clients.size(); ++i) {
    ClientSkew& client = report.clients[i];
    if (client.documents == 0) continue;
    ++with_documents;
    client.divergence = jensen_shannon(report.grades_of(i), report.whole);
    report.mean_divergence += client.divergence;
    report.weighted_divergence += client.divergence * static_cast<double>(client.documents);
  }
  report.without_documents = report.clients.size() - with_documents;
  if (with_documents > 0) {
    report.mean_divergence /= static_cast<double>(with_documents);
    report.weighted_divergence /= static_cast<double>(report.documents);
  }
  return report;
}

}  // namespace fltr
