#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/evaluation.hpp>

namespace fltr::detail {

/// make(i) of every client, block by block on the Execution, in the order of the population. A block runs where the
/// states of its clients are.
template <Execution E, Population Clients, class Make>
[[nodiscard]] auto for_each_client(E const& execution, Clients const& clients, Make const& make) {
  auto all = execution.reduce(Roster::block_count(clients.size()), [&](std::size_t block) {
    Collected<decltype(make(std::size_t{}))> out;
    std::size_t const end = std::min(clients.size(), (block + 1) * Roster::block_size);
    for (std::size_t i = block * Roster::block_size; i < end; ++i) {
      interruption_point_in_block(execution);
      out.add(make(i));
    }
    return out;
  });
  return std::move(all).take();
}

/// The metric of ranker_at(i) on queries_of(client i), for every client.
template <Execution E, Population Clients, Metric M, class QueriesOf, class RankerAt>
[[nodiscard]] std::vector<std::optional<double>> evaluate_each(E const& execution, Clients const& clients,
                                                               M const& metric, QueriesOf const& queries_of,
                                                               RankerAt const& ranker_at) {
  return for_each_client(execution, clients, [&](std::size_t i) {
    ClientOf<Clients> const client = clients[i];
    decltype(auto) queries = queries_of(client);
    decltype(auto) ranker = ranker_at(i);
    Evaluation const result = evaluate_on(Serial{}, ranker, queries, metric)[0];
    return result.queries > 0 ? std::optional(result.mean()) : std::nullopt;
  });
}

}  // namespace fltr::detail
