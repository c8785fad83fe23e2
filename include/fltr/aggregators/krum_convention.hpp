#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// How many nearest other rows Krum adds up for the score of a row, out of n rows of which f are malicious. Published
/// implementations differ.
enum class KrumNeighbours : std::uint8_t {
  published,     ///< n − f − 2 (Blanchard et al. 2017)
  at_least_one,  ///< max(1, n − f − 2)
  other_honest,  ///< n − f − 1: as many as there are other honest rows
  honest,        ///< n − f, at most n − 1: as many as there are honest rows
  with_itself,   ///< n − f − 3: the row itself, at distance 0, is one of the n − f − 2
};

/// What Krum adds up for each neighbour, where δ is the Euclidean distance.
enum class KrumDistance : std::uint8_t {
  squared,      ///< δ² (Blanchard et al. 2017)
  euclidean,    ///< δ (Wang 2024)
  fourth_power  ///< δ⁴
};

/// The number of neighbours for n rows, 0 if there are too few rows.
[[nodiscard]] constexpr std::size_t krum_neighbours(KrumNeighbours convention, std::size_t n, std::size_t malicious) {
  auto const left = [&](std::size_t others) { return n > malicious + others ? n - malicious - others : 0; };
  if (n < 2) return 0;
  switch (convention) {
    case KrumNeighbours::at_least_one:
      return n > malicious ? std::max<std::size_t>(1, left(2)) : 0;
    case KrumNeighbours::other_honest:
      return left(1);
    case KrumNeighbours::honest:
      return std::min(left(0), n - 1);
    case KrumNeighbours::with_itself:
      return left(3);
    case KrumNeighbours::published:
      break;
  }
  return left(2);
}

/// The fewest rows with at least one neighbour.
[[nodiscard]] constexpr std::size_t krum_minimum(KrumNeighbours convention, std::size_t malicious) {
  std::size_t n = std::max<std::size_t>(2, malicious + 1);
  while (krum_neighbours(convention, n, malicious) == 0) ++n;
  return n;
}

}  // namespace fltr
