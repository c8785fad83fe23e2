#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ask_sometimes.hpp>

namespace fltr::detail {

/// Throws std::invalid_argument if two clients of a population have the same id. All random numbers of a client,
/// its privacy noise included, are a function of its id. Increasing ids, as in all generated populations, take one pass
/// and no memory; other ids are sorted.
template <Population P, Execution E = Serial>
void require_distinct_ids(P const& population, E const& execution = {}) {
  std::size_t const size = population.size();
  std::size_t rising = 1;
  for (ClientId last = size > 0 ? population[0].id : 0; rising < size; ++rising) {
    ClientId const id = population[rising].id;
    if (id <= last) break;
    last = id;
    ask_sometimes(execution, rising);
  }
  if (rising >= size) return;

  std::vector<std::pair<ClientId, std::size_t>> ids;
  ids.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    ask_sometimes(execution, i);
    ids.emplace_back(population[i].id, i);
  }
  std::sort(ids.begin(), ids.end());
  auto const twice =
      std::ranges::adjacent_find(ids, {}, [](std::pair<ClientId, std::size_t> const& entry) { return entry.first; });
  if (twice != ids.end())
    throw_requirement("Training", "clients with different ids",
                      "id " + std::to_string(twice->first) + " at positions " + std::to_string(twice->second) +
                          " and " + std::to_string(std::next(twice)->second));
}

}  // namespace fltr::detail
