#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr::detail {

/// The relevant documents (grade > 0) of one category in one query. Shares are compared by number of documents, then by
/// sum of grades, then by highest grade.
struct CategoryShare {
  std::uint32_t documents = 0;
  std::uint32_t grades = 0;
  Grade highest = 0;

  friend auto operator<=>(CategoryShare const&, CategoryShare const&) = default;
};

/// The share of each category among a query's relevant documents. Empty if no document is relevant.
template <class = void>
[[nodiscard]] std::map<float, CategoryShare> category_shares(Dataset const& data, std::span<float const> categories,
                                                             std::size_t query) {
  std::map<float, CategoryShare> shares;
  auto const grades = data[query].grades();
  for (std::size_t d = 0; d < grades.size(); ++d) {
    if (grades[d] == 0) continue;
    auto& share = shares[categories[data.first_document(query) + d]];
    ++share.documents;
    share.grades += grades[d];
    share.highest = std::max(share.highest, grades[d]);
  }
  return shares;
}

/// The category of a query: the one with the largest share. One of several largest shares is drawn. Empty if no
/// document is relevant.
template <class = void>
[[nodiscard]] std::optional<float> largest_share(std::map<float, CategoryShare> const& shares, Stream stream) {
  std::vector<float> candidates;
  CategoryShare most;
  for (auto const& [category, share] : shares) {
    if (share > most) candidates.clear();
    most = std::max(most, share);
    if (share == most) candidates.push_back(category);
  }
  if (candidates.empty()) return std::nullopt;
  if (candidates.size() == 1) return candidates.front();
  return candidates[stream.below(static_cast<std::uint32_t>(candidates.size()))];
}

}  // namespace fltr::detail
