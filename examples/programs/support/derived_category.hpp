#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/partition/by_category.hpp>

namespace fltr::examples {

/// Two categories for data without a feature that holds categories: documents with values of a feature above its median,
/// and the others.
struct DerivedCategory {
  std::size_t feature = 0;  ///< from 0
  float threshold = 0;      ///< the median over the relevant documents
  float of_the_first = 1;   ///< the category of the first client: 1 for values above the threshold, 0 for the others

  /// 1 or 0 for each document.
  [[nodiscard]] std::vector<float> categories(Dataset const& raw) const;
  /// "feature 13 above 0.5"
  [[nodiscard]] std::string text() const;
};

/// The feature whose categories leave the most queries to whichever has the fewest: the first client, the second client,
/// or (doubled, because merge sets are half as large) both merge sets. Looks at 2,000 queries. std::nullopt if every
/// feature leaves one of them without queries.
[[nodiscard]] std::optional<DerivedCategory> derive_category(Dataset const& raw, ByCategory const& how);

}  // namespace fltr::examples
