#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr::benchmarks {

/// A Dataset of queries of equal size with random features in [0, 1). Benchmarks need its size, not its content.
inline Dataset fixed_shape(std::size_t queries, std::size_t documents, std::size_t features, Grade grades) {
  std::size_t const stride = Dataset::stride_for(features);
  DatasetParts parts{features, AlignedFloats(queries * documents * stride), {}, {0}, {}, {}};
  Stream stream(1);
  float* row = parts.features.data();
  for (std::size_t q = 0; q < queries; ++q) {
    for (std::size_t d = 0; d < documents; ++d, row += stride) {
      for (std::size_t k = 0; k < stride; ++k) row[k] = k < features ? static_cast<float>(stream()) * 0x1p-32F : 0.0F;
      parts.grades.push_back(stream.below(4) == 0 ? static_cast<Grade>(stream.below(grades)) : Grade{0});
    }
    parts.query_offsets.push_back(parts.grades.size());
    parts.qids.push_back(std::to_string(q + 1));
  }
  return Dataset(std::move(parts));
}

/// Sums all features of a query: a lower bound on the time of any scoring function.
[[gnu::noinline]] inline float stream_features(QueryView query) {
  float const* const begin = query.rows();
  std::size_t const size = query.document_count() * query.stride();
  auto const one = simd::Lanes::filled(1.0F);
  std::array<simd::Lanes, 4> sums;
  sums.fill(simd::Lanes::filled(0.0F));
  std::size_t i = 0;
  for (; i + 4 * simd::lanes <= size; i += 4 * simd::lanes)
    for (std::size_t k = 0; k < 4; ++k) sums[k].add_product(one, simd::Lanes::load(begin + i + k * simd::lanes));
  for (; i < size; i += simd::lanes) sums[0].add_product(one, simd::Lanes::load(begin + i));
  return sums[0].sum() + sums[1].sum() + sums[2].sum() + sums[3].sum();
}

}  // namespace fltr::benchmarks
