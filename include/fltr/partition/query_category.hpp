#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The category of each document: its value of a feature (counted from 0). To be asked before features are normalised
/// per query, which leaves nothing of a category.
[[nodiscard]] inline std::vector<float> categories_of(Dataset const& raw, std::size_t feature) {
  require(feature < raw.feature_count(), "categories_of",
          "a feature below " + std::to_string(raw.feature_count()) + ", the number of features", feature);
  std::vector<float> categories;
  categories.reserve(raw.document_count());
  for (std::size_t q = 0; q < raw.size(); ++q)
    for (std::size_t d = 0; d < raw[q].document_count(); ++d) categories.push_back(raw[q].row(d)[feature]);
  return categories;
}

/// What a query's relevant documents (of a grade above 0) of one category amount to. In the order in which categories
/// compete for the query: by number of documents, then by sum of grades, then by highest grade.
struct CategoryShare {
  std::uint32_t documents = 0;
  std::uint32_t grades = 0;
  Grade highest = 0;

  friend auto operator<=>(CategoryShare const&, CategoryShare const&) = default;
};

/// The categories of a query's relevant documents. Empty where nothing is relevant.
[[nodiscard]] inline std::map<float, CategoryShare> category_shares(Dataset const& data,
                                                                    std::span<float const> categories,
                                                                    std::size_t query) {
  std::map<float, CategoryShare> shares;
  auto const labels = data[query].labels();
  for (std::size_t d = 0; d < labels.size(); ++d) {
    if (labels[d] == 0) continue;
    auto& share = shares[categories[data.first_document(query) + d]];
    ++share.documents;
    share.grades += labels[d];
    share.highest = std::max(share.highest, labels[d]);
  }
  return shares;
}

/// The category of a query: the strongest of its relevant documents' categories, drawn where several are equally
/// strong. None where nothing is relevant.
[[nodiscard]] inline std::optional<float> strongest(std::map<float, CategoryShare> const& shares, Stream stream) {
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

}  // namespace fltr
