#include "derived_category.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

#include <fltr/data/select_queries.hpp>
#include <fltr/partition/categories_of.hpp>

namespace fltr::examples {

namespace {

constexpr std::size_t most_queries = 2000;

/// At most `most_queries` queries, evenly spread over the data.
Dataset sample_of(Dataset const& raw) {
  std::size_t const count = std::min(raw.size(), most_queries);
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i * raw.size() / count);
  return select_queries(raw, numbers);
}

/// The median of a feature over the relevant documents; without such documents 0.
float median_of(Dataset const& raw, std::size_t feature) {
  std::vector<float> values;
  for (std::size_t q = 0; q < raw.size(); ++q) {
    QueryView const query = raw[q];
    for (std::size_t d = 0; d < query.document_count(); ++d)
      if (query.grades()[d] > 0) values.push_back(query.row(d)[feature]);
  }
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<float> DerivedCategory::categories(Dataset const& raw) const {
  std::vector<float> categories = categories_of(raw, feature);
  for (float& value : categories) value = value > threshold ? 1.0F : 0.0F;
  return categories;
}

std::string DerivedCategory::text() const {
  return fmt::format("feature {} {} {}", feature + 1, of_the_first > 0 ? "above" : "at most", threshold);
}

std::optional<DerivedCategory> derive_category(Dataset const& raw, ByCategory const& how) {
  Dataset const sample = sample_of(raw);
  std::optional<DerivedCategory> best;
  std::size_t most = 0;
  for (std::size_t feature = 0; feature < sample.feature_count(); ++feature) {
    DerivedCategory candidate{.feature = feature, .threshold = median_of(sample, feature)};
    auto const categories = candidate.categories(sample);
    for (float const category : {1.0F, 0.0F}) {
      auto const parts = how.parts(sample, categories, category);
      std::size_t const to_merge = how.mixed ? sample.size() : 2 * parts.left_over.size();
      std::size_t const fewest = std::min({parts.own.size(), parts.others.size(), to_merge});
      if (fewest <= most) continue;
      most = fewest;
      candidate.of_the_first = category;
      best = candidate;
    }
  }
  return best;
}

}  // namespace fltr::examples
