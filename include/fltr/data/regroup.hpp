#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/secrecy.hpp>
#include <fltr/data/string_list.hpp>

namespace fltr {

/// A Dataset in which each query holds documents of one group only, see regroup. Pools of this object refer to its
/// Dataset: the object must outlive them and must not be moved in the meantime.
class RegroupedDataset {
 public:
  RegroupedDataset() = default;

  [[nodiscard]] Dataset const& data() const& noexcept { return data_; }
  [[nodiscard]] Dataset data() && noexcept { return std::move(data_); }
  /// The number of queries: pairs of an original query and a group with at least one document.
  [[nodiscard]] std::size_t size() const noexcept { return groups_.size(); }
  /// The group of query i.
  [[nodiscard]] std::uint32_t group_of(std::size_t i) const noexcept { return groups_[i]; }
  /// The number in the original Dataset of the query from which query i was made.
  [[nodiscard]] std::uint32_t original_query(std::size_t i) const noexcept { return originals_[i]; }

  /// The queries of one group, in ascending order. Empty if the group has no document. O(size()).
  [[nodiscard]] QueryPool pool_of(std::uint32_t group) const& { return pool_of(std::span(&group, 1)); }
  FLTR_UNAVAILABLE("a QueryPool refers to its RegroupedDataset, which must not be a temporary: give it a name")
  QueryPool pool_of(std::uint32_t) const&&;
  /// The queries of several groups, in ascending order. O(size() · log groups).
  [[nodiscard]] QueryPool pool_of(std::span<std::uint32_t const> groups) const& {
    std::vector<std::uint32_t> wanted(groups.begin(), groups.end());
    std::ranges::sort(wanted);
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < size(); ++i)
      if (std::ranges::binary_search(wanted, groups_[i])) chosen.push_back(static_cast<std::uint32_t>(i));
    chosen.shrink_to_fit();
    return {data_, std::move(chosen)};
  }
  FLTR_UNAVAILABLE("a QueryPool refers to its RegroupedDataset, which must not be a temporary: give it a name")
  QueryPool pool_of(std::span<std::uint32_t const>) const&&;
  /// The pools of the groups 0 to `count` − 1, in one pass. Requires that no document has a group of `count` or above.
  [[nodiscard]] std::vector<QueryPool> pools(std::size_t count) const& {
    std::vector<std::size_t> sizes(count);
    for (std::uint32_t const group : groups_) {
      if (group >= count) [[unlikely]]
        throw_requirement("RegroupedDataset::pools", "groups below " + std::to_string(count), group);
      ++sizes[group];
    }
    std::vector<std::vector<std::uint32_t>> chosen(count);
    for (std::size_t group = 0; group < count; ++group) chosen[group].reserve(sizes[group]);
    for (std::size_t i = 0; i < size(); ++i) chosen[groups_[i]].push_back(static_cast<std::uint32_t>(i));
    std::vector<QueryPool> out;
    out.reserve(count);
    for (auto& queries : chosen) out.emplace_back(data_, std::move(queries));
    return out;
  }
  FLTR_UNAVAILABLE("a QueryPool refers to its RegroupedDataset, which must not be a temporary: give it a name")
  std::vector<QueryPool> pools(std::size_t) const&&;

 private:
  friend RegroupedDataset regroup(Dataset data, std::span<std::uint32_t const> group_of_document);

  Dataset data_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint32_t> originals_;
};

/// Divides each query of a Dataset by the groups of its documents, so that documents of one query can belong to several
/// clients. Each pair of a query and a group with at least one document becomes a query with the qid of the original
/// query. The new queries follow the order of the original queries and, within one, the ascending order of the groups.
/// Documents keep their order within a group; grades and docids move with the rows. A query without documents is left
/// out.
///
/// `group_of_document` has one group per document of the Dataset. Groups may have any numbers. A Dataset that is moved
/// in is rearranged in place, with a buffer for the rows of one query.
///
/// Features that were scaled per query depend on the documents of all groups of the query: Dataset::scaled_by says so.
[[nodiscard]] inline RegroupedDataset regroup(Dataset data, std::span<std::uint32_t const> group_of_document) {
  require(group_of_document.size() == data.document_count(), "regroup",
          std::to_string(data.document_count()) + " groups, one per document", group_of_document.size());
  std::size_t const stride = data.stride();
  DatasetParts parts = std::move(data).release();
  // A group's documents were scaled together with those of other groups.
  if (parts.scaled_by == ScaledBy::query) parts.scaled_by = ScaledBy::documents;
  StringList const old_qids = std::exchange(parts.qids, {});
  StringList const old_docids = std::exchange(parts.docids, {});
  std::vector<std::uint64_t> const old_offsets = std::exchange(parts.query_offsets, {0});
  RegroupedDataset out;
  std::vector<std::uint32_t> order;
  std::vector<float> rows;
  std::vector<Grade> grades;
  for (std::size_t q = 0; q + 1 < old_offsets.size(); ++q) {
    std::size_t const begin = old_offsets[q];
    std::size_t const count = old_offsets[q + 1] - begin;
    auto const groups = group_of_document.subspan(begin, count);
    order.resize(count);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t document) { return groups[document]; });
    if (!std::ranges::is_sorted(order)) {
      float* const to = parts.features.data() + begin * stride;
      rows.assign(to, to + count * stride);
      grades.assign(parts.grades.data() + begin, parts.grades.data() + begin + count);
      for (std::size_t d = 0; d < count; ++d) {
        std::copy_n(rows.data() + order[d] * stride, stride, to + d * stride);
        parts.grades[begin + d] = grades[order[d]];
      }
    }
    for (std::size_t d = 0; d < count; ++d) {
      if (!old_docids.empty()) parts.docids.push_back(old_docids[begin + order[d]]);
      if (d + 1 < count && groups[order[d]] == groups[order[d + 1]]) continue;
      parts.query_offsets.push_back(begin + d + 1);  // the last document of this group
      parts.qids.push_back(old_qids[q]);
      out.groups_.push_back(groups[order[d]]);
      out.originals_.push_back(static_cast<std::uint32_t>(q));
    }
  }
  // The lists grew step by step. This frees their spare capacity.
  parts.query_offsets.shrink_to_fit();
  parts.qids = StringList(parts.qids);
  parts.docids = StringList(parts.docids);
  out.groups_.shrink_to_fit();
  out.originals_.shrink_to_fit();
  out.data_ = Dataset(std::move(parts));
  return out;
}

}  // namespace fltr
