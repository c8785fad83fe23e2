#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// A Dataset of the chosen queries, in the given order, with the same features.
template <class = void>
[[nodiscard]] Dataset select_queries(Dataset const& data, std::span<std::uint32_t const> chosen) {
  auto const& from = data.parts();
  std::size_t documents = 0;
  for (auto const query : chosen) {
    if (query >= data.size()) [[unlikely]]
      throw_requirement("select_queries", "query numbers below " + std::to_string(data.size()), query);
    documents += from.query_offsets[query + 1] - from.query_offsets[query];
  }
  DatasetParts to{from.feature_count, AlignedFloats(documents * data.stride()), {}, {0}, {}, {}};
  to.scaled_by = from.scaled_by;
  to.grades.reserve(documents);
  to.query_offsets.reserve(chosen.size() + 1);
  for (auto const query : chosen) {
    std::size_t const begin = from.query_offsets[query];
    std::size_t const end = from.query_offsets[query + 1];
    std::copy_n(from.features.data() + begin * data.stride(), (end - begin) * data.stride(),
                to.features.data() + to.grades.size() * data.stride());
    for (std::size_t document = begin; document < end; ++document) {
      to.grades.push_back(from.grades[document]);
      if (data.has_docids()) to.docids.push_back(from.docids[document]);
    }
    to.query_offsets.push_back(to.grades.size());
    to.qids.push_back(from.qids[query]);
  }
  return Dataset(std::move(to));
}

/// The numbers of the queries whose documents differ in grade. Other queries do not distinguish rankings.
[[nodiscard]] inline std::vector<std::uint32_t> queries_of_several_grades(Dataset const& data) {
  std::vector<std::uint32_t> chosen;
  for (std::size_t q = 0; q < data.size(); ++q) {
    auto const ideal = data[q].ideal();
    if (!ideal.empty() && ideal.front() != ideal.back()) chosen.push_back(static_cast<std::uint32_t>(q));
  }
  return chosen;
}

}  // namespace fltr
