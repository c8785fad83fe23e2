#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/select_queries.hpp>

namespace fltr {

/// The three parts of a data set: for training, for validation and for tests.
struct Fold {
  Dataset train;
  Dataset vali;
  Dataset test;
};

/// Splits a Dataset by query, at random. `parts` are the shares of train, vali and test, such as {.6, .2, .2}. The
/// queries keep their order within each part. The split is a function of the number of queries, the shares and the
/// seed. Requires shares of at least 0 with a sum above 0, and enough queries for at least one in each part of a share
/// above 0.
template <class = void>
[[nodiscard]] Fold split_by_query(Dataset const& data, std::array<double, 3> const& parts, std::uint64_t seed) {
  for (double const part : parts)
    require(part >= 0 && std::isfinite(part), "split_by_query", "finite shares >= 0", part);
  double const sum = parts[0] + parts[1] + parts[2];
  require(sum > 0 && std::isfinite(sum), "split_by_query", "shares with a sum > 0", sum);
  std::vector<std::uint32_t> queries(data.size());
  std::iota(queries.begin(), queries.end(), 0U);
  Stream stream = Streams{.seed = seed}.of(Purpose::partition);
  stream.shuffle(std::span(queries));
  std::array<Dataset, 3> result;
  std::size_t begin = 0;
  double share = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    share += parts[i];
    auto const end =
        static_cast<std::size_t>(std::lround(static_cast<double>(data.size()) * std::min(share / sum, 1.0)));
    require(end > begin || parts[i] == 0, "split_by_query", "enough queries for every share", data.size());
    auto const chosen = std::span(queries).subspan(begin, end - begin);
    std::ranges::sort(chosen);
    result[i] = select_queries(data, chosen);
    begin = end;
  }
  return {std::move(result[0]), std::move(result[1]), std::move(result[2])};
}

}  // namespace fltr
