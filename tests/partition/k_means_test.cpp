#include <fltr/partition/detail/k_means.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using fltr::Stream;
using fltr::detail::k_means;
using fltr::detail::nearest_center;
using fltr::detail::squared_distance;

TEST_CASE("The squared distance of rows of any length") {
  for (std::size_t size = 0; size <= 20; ++size) {
    std::vector<float> a(size);
    std::vector<float> b(size);
    float expected = 0.0F;
    for (std::size_t k = 0; k < size; ++k) {
      a[k] = static_cast<float>(k);
      b[k] = static_cast<float>(3 * k);
      expected += static_cast<float>(4 * k * k);
    }
    CHECK(squared_distance(a.data(), b.data(), size) == expected);
  }
}

TEST_CASE("k-means finds the means of clusters that are far apart") {
  // Three clusters of four rows around (0, 0), (100, 0) and (0, 100). Any start with k-means++ has a row of each with
  // a probability above .999.
  std::vector<float> rows;
  for (auto const& [x, y] : {std::pair{0.0F, 0.0F}, {100.0F, 0.0F}, {0.0F, 100.0F}})
    for (auto const& [dx, dy] : {std::pair{1.0F, 0.0F}, {-1.0F, 0.0F}, {0.0F, 1.0F}, {0.0F, -1.0F}}) {
      rows.push_back(x + dx);
      rows.push_back(y + dy);
    }
  Stream stream(101);
  auto const centers = k_means(rows, 2, 3, 50, stream);
  std::vector<std::vector<float>> sorted{{centers[0], centers[1]}, {centers[2], centers[3]}, {centers[4], centers[5]}};
  std::ranges::sort(sorted);
  CHECK(sorted == std::vector<std::vector<float>>{{0, 0}, {0, 100}, {100, 0}});
  CHECK(nearest_center(std::vector<float>{90, 3}, std::vector<float>{0, 0, 100, 0, 0, 100}).center == 1);
}

TEST_CASE("k-means accepts equal rows and as many clusters as rows") {
  Stream stream(102);
  CHECK(k_means(std::vector<float>(12, 5.0F), 2, 4, 10, stream) == std::vector<float>(8, 5.0F));
  auto centers = k_means(std::vector<float>{1, 2, 3}, 1, 3, 10, stream);
  std::ranges::sort(centers);
  CHECK(centers == std::vector<float>{1, 2, 3});
}
