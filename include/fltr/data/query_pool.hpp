#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/detail/ideal_list.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/data/secrecy.hpp>

namespace fltr {

/// The queries that a client may ask: all queries of a Dataset, or a choice of them. The features are those of the
/// Dataset, which must outlive the pool. The grades are those of the Dataset or the pool's own, see with_grades.
///
/// Copies of a pool share its choice of queries and its own grades. Views of queries with own grades are valid as long
/// as one of these copies lives. Views of a temporary pool do not compile.
class QueryPool {
 public:
  QueryPool() = default;
  explicit QueryPool(Dataset const& data) noexcept : data_(&data) {}
  /// `chosen`: numbers in the Dataset, in any order. A number that occurs twice is two queries of the pool.
  QueryPool(Dataset const& data, std::vector<std::uint32_t> chosen) : data_(&data) {
    for (auto query : chosen)
      if (query >= data.size()) [[unlikely]]
        throw_requirement("QueryPool", "query numbers below " + std::to_string(data.size()), query);
    bool const sorted = std::is_sorted(chosen.begin(), chosen.end());
    chosen_ = std::make_shared<Choice const>(Choice{std::move(chosen), sorted});
  }
  FLTR_UNAVAILABLE("QueryPool refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  explicit QueryPool(Dataset const&&);
  FLTR_UNAVAILABLE("QueryPool refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  QueryPool(Dataset const&&, std::vector<std::uint32_t>);
  // A move copies, so that the source stays usable and keeps its choice of queries.
  QueryPool(QueryPool const&) = default;
  QueryPool& operator=(QueryPool const&) = default;
  ~QueryPool() = default;

  /// A pool of the same queries with these grades instead of the Dataset's: one grade per document of the pool, in the
  /// order of the pool's queries. Takes 2 bytes per document: the grade and the ideal list.
  [[nodiscard]] QueryPool with_grades(std::vector<Grade> grades) const {
    std::size_t const documents = document_count();
    require(grades.size() == documents, "QueryPool::with_grades",
            std::to_string(documents) + " grades, one per document of the pool", grades.size());
    OwnGrades own{std::move(grades), std::vector<Grade>(documents), {}};
    if (chosen_) own.first.reserve(size());
    for (std::size_t i = 0, first = 0; i < size(); ++i) {
      std::size_t const count = (*data_)[index(i)].document_count();
      detail::write_ideal_list("QueryPool::with_grades", std::span(own.grades).subspan(first, count),
                               std::span(own.ideal).subspan(first, count));
      if (chosen_) own.first.push_back(first);
      first += count;
    }
    QueryPool out = *this;
    out.grades_ = std::make_shared<OwnGrades const>(std::move(own));
    return out;
  }

  /// A pool of the queries at these positions of this pool. Own grades are copied.
  [[nodiscard]] QueryPool only(std::vector<std::uint32_t> const& positions) const {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(positions.size());
    std::vector<Grade> own;
    for (std::uint32_t const i : positions) {
      if (i >= size()) [[unlikely]]
        throw_requirement("QueryPool::only", "positions below " + std::to_string(size()), i);
      numbers.push_back(index(i));
      if (grades_) {
        auto const grades = (*this)[i].grades();
        own.insert(own.end(), grades.begin(), grades.end());
      }
    }
    if (data_ == nullptr) return {};
    QueryPool out(*data_, std::move(numbers));
    return grades_ ? out.with_grades(std::move(own)) : out;
  }

  /// Whether the other pool is a copy of this one or of the same pool; then both have the same queries and grades.
  [[nodiscard]] bool same_queries(QueryPool const& other) const noexcept {
    return data_ == other.data_ && chosen_ == other.chosen_ && grades_ == other.grades_;
  }

  /// The number of queries.
  [[nodiscard]] std::size_t size() const noexcept {
    return chosen_ ? chosen_->queries.size() : data_ != nullptr ? data_->size() : 0;
  }
  /// The number of documents of all queries. O(queries) for a choice.
  [[nodiscard]] std::size_t document_count() const noexcept {
    if (!chosen_) return data_ != nullptr ? data_->document_count() : 0;
    std::size_t sum = 0;
    for (std::uint32_t const query : chosen_->queries) sum += (*data_)[query].document_count();
    return sum;
  }
  /// The number of features of the Dataset; 0 for a pool without a Dataset.
  [[nodiscard]] std::size_t feature_count() const noexcept { return data_ != nullptr ? data_->feature_count() : 0; }
  /// See Dataset::scaled_by.
  [[nodiscard]] ScaledBy scaled_by() const noexcept {
    return data_ != nullptr ? data_->scaled_by() : ScaledBy::nothing;
  }
  /// Whether the queries are those of this Dataset.
  [[nodiscard]] bool is_of(Dataset const& data) const noexcept { return data_ == &data; }
  /// Whether the pool has all queries of its Dataset, and no choice of them.
  [[nodiscard]] bool is_whole() const noexcept { return chosen_ == nullptr; }
  [[nodiscard]] bool has_own_grades() const noexcept { return grades_ != nullptr; }

  /// Query i of the pool.
  [[nodiscard]] QueryView operator[](std::size_t i) const& noexcept {
    QueryView const query = (*data_)[index(i)];
    if (grades_) [[unlikely]]
      return regraded(query, i);
    return query;
  }
  FLTR_UNAVAILABLE("a query can refer to grades of its QueryPool, which must not be a temporary: give it a name")
  QueryView operator[](std::size_t) const&&;
  /// The number in the Dataset of query i of the pool.
  [[nodiscard]] std::uint32_t index(std::size_t i) const noexcept {
    return chosen_ ? chosen_->queries[i] : static_cast<std::uint32_t>(i);
  }
  /// The identifier of query i of the pool.
  [[nodiscard]] std::string_view qid(std::size_t i) const noexcept { return data_->qid(index(i)); }
  /// The query of the pool with number `query` in the Dataset; the first one, if the number was chosen twice. Throws
  /// std::invalid_argument if the pool does not have it. O(1) for a whole Dataset, O(log queries) for a sorted choice,
  /// else O(queries).
  [[nodiscard]] QueryView by_number(std::uint32_t query) const& { return (*this)[position_of(query)]; }
  FLTR_UNAVAILABLE("a query can refer to grades of its QueryPool, which must not be a temporary: give it a name")
  QueryView by_number(std::uint32_t) const&&;

  /// One of the queries, each equally likely. Throws std::invalid_argument if the pool is empty.
  [[nodiscard]] QueryView draw(Stream& stream) const& {
    std::size_t const i = draw_position(stream);  // before operator[]: an empty pool has no Dataset
    return (*this)[i];
  }
  FLTR_UNAVAILABLE("a query can refer to grades of its QueryPool, which must not be a temporary: give it a name")
  QueryView draw(Stream&) const&&;
  /// The position in the pool of the query that `draw` would return, from the same random numbers.
  [[nodiscard]] std::size_t draw_position(Stream& stream) const {
    std::size_t const queries = size();
    require(queries > 0, "QueryPool::draw", "at least one query", queries);
    return stream.below(static_cast<std::uint32_t>(queries));
  }

 private:
  struct Choice {
    std::vector<std::uint32_t> queries;  // numbers in the Dataset
    bool sorted;
    auto members(auto&& visit) const { return visit(queries); }
  };
  struct OwnGrades {
    std::vector<Grade> grades;  // one per document of the pool
    std::vector<Grade> ideal;
    std::vector<std::size_t> first;  // document of each query in `grades`; empty for a whole Dataset
    auto members(auto&& visit) const { return visit(grades); }
  };

 public:
  auto members(auto&& visit) const {
    static Dataset const no_data;
    static Choice const all{};
    static OwnGrades const none{};
    return visit(data_ != nullptr ? *data_ : no_data, data_ != nullptr, chosen_ ? *chosen_ : all, chosen_ != nullptr,
                 grades_ ? *grades_ : none);
  }

 private:
  [[nodiscard]] QueryView regraded(QueryView query, std::size_t i) const noexcept {
    std::size_t const first = chosen_ ? grades_->first[i] : data_->first_document(i);
    std::size_t const count = query.document_count();
    return {query.rows(), query.stride(), query.feature_count(), std::span(grades_->grades).subspan(first, count),
            std::span(grades_->ideal).subspan(first, count)};
  }

  [[nodiscard]] std::size_t position_of(std::uint32_t query) const {
    constexpr std::string_view who = "QueryPool::by_number";
    constexpr std::string_view what = "the number of a query in the pool";
    if (!chosen_) [[likely]] {
      require(query < size(), who, what, query);
      return query;
    }
    auto const& numbers = chosen_->queries;
    auto const found = chosen_->sorted ? std::lower_bound(numbers.begin(), numbers.end(), query)
                                       : std::find(numbers.begin(), numbers.end(), query);
    require(found != numbers.end() && *found == query, who, what, query);
    return static_cast<std::size_t>(found - numbers.begin());
  }

  Dataset const* data_ = nullptr;
  std::shared_ptr<Choice const> chosen_;     // none: all queries
  std::shared_ptr<OwnGrades const> grades_;  // none: the Dataset's
};

}  // namespace fltr
