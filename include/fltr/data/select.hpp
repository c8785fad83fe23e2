#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/aligned.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// The chosen queries, in the given order, as a Dataset of their own with the same features.
[[nodiscard]] inline Dataset select_queries(Dataset const& data, std::span<std::uint32_t const> chosen) {
  auto const& from = data.parts();
  std::size_t documents = 0;
  for (auto const query : chosen) {
    require(query < data.size(), "select_queries", "queries of the dataset", query);
    documents += from.query_offsets[query + 1] - from.query_offsets[query];
  }
  DatasetParts to{from.feature_count, AlignedFloats(documents * data.stride()), {}, {0}, {}, {}};
  to.labels.reserve(documents);
  to.query_offsets.reserve(chosen.size() + 1);
  for (auto const query : chosen) {
    std::size_t const begin = from.query_offsets[query];
    std::size_t const end = from.query_offsets[query + 1];
    std::copy_n(from.features.data() + begin * data.stride(), (end - begin) * data.stride(),
                to.features.data() + to.labels.size() * data.stride());
    for (std::size_t document = begin; document < end; ++document) {
      to.labels.push_back(from.labels[document]);
      if (data.has_docids()) to.docids.push_back(from.docids[document]);
    }
    to.query_offsets.push_back(to.labels.size());
    to.qids.push_back(from.qids[query]);
  }
  return Dataset(std::move(to));
}

/// The queries whose documents differ in grade: the others tell nothing about ranking.
[[nodiscard]] inline std::vector<std::uint32_t> queries_of_several_grades(Dataset const& data) {
  std::vector<std::uint32_t> chosen;
  for (std::size_t q = 0; q < data.size(); ++q) {
    auto const ideal = data[q].ideal();
    if (!ideal.empty() && ideal.front() != ideal.back()) chosen.push_back(static_cast<std::uint32_t>(q));
  }
  return chosen;
}

}  // namespace fltr
