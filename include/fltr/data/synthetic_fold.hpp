#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/parallel_tasks.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/detail/synthetic_queries.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/data/synthetic_shape.hpp>

namespace fltr {

/// A synthetic data set of this shape, with `scale` times the shape's queries (at least 5). Of each five consecutive
/// queries three go to train, one to vali and one to test. So each part of a smaller set is the beginning of that part
/// of a larger set. The set is a function of the shape and the scale, not of the number of threads (0 = one per core).
template <class = void>
[[nodiscard]] Fold synthetic_fold(SyntheticShape const& shape, double scale = 1, std::size_t threads = 0) {
  detail::SyntheticQueries const queries(shape);
  double const wanted = std::round(scale * shape.queries);
  require(scale > 0 && wanted >= 5 && wanted < 4e9, "synthetic_fold",
          "a scale that gives 5 to 4e9 of " + std::to_string(shape.queries) + " queries", scale);
  auto const count = static_cast<std::uint32_t>(wanted);
  auto const part_of = [](std::uint32_t query) { return query % 5 < 3 ? 0U : query % 5 - 2; };

  std::array<DatasetParts, 3> parts;
  for (auto& part : parts) part = {shape.features, {}, {}, {0}, {}, {}};
  std::vector<std::uint64_t> first(count);
  for (std::uint32_t q = 0; q < count; ++q) {
    auto& part = parts[part_of(q)];
    first[q] = part.query_offsets.back();
    part.query_offsets.push_back(first[q] + queries.size(q));
    part.qids.push_back(std::to_string(q + 1));
  }
  std::size_t const stride = Dataset::stride_for(shape.features);
  for (auto& part : parts) {
    part.grades.resize(part.query_offsets.back());
    part.features = AlignedFloats(part.grades.size() * stride);
  }
  constexpr std::uint32_t block = 16;
  parallel_tasks((count + block - 1) / block, threads, [&](std::size_t task) {
    auto const begin = static_cast<std::uint32_t>(task) * block;
    for (std::uint32_t q = begin; q < std::min(begin + block, count); ++q) {
      auto& part = parts[part_of(q)];
      queries.fill(q, part.features.data() + first[q] * stride, stride,
                   std::span(part.grades).subspan(first[q], queries.size(q)));
    }
  });
  return {Dataset(std::move(parts[0])), Dataset(std::move(parts[1])), Dataset(std::move(parts[2]))};
}

}  // namespace fltr
