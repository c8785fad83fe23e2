#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>

namespace fltr {

/// One ranker per client, made outside the rounds of a training (fine_tune, train_alone). It has the functions of a
/// Training that concern the rankers of single clients. All rankers are in memory.
template <Ranker R, Population Clients, Execution E = Serial>
class ClientRankers {
 public:
  /// The rankers in the order of the population.
  ClientRankers(std::vector<R> rankers, Clients clients, E execution = {})
      : rankers_(std::move(rankers)), clients_(std::move(clients)), execution_(std::move(execution)) {
    require(rankers_.size() == clients_.size(), "ClientRankers", "one ranker per client", rankers_.size());
  }

  [[nodiscard]] std::size_t size() const noexcept { return rankers_.size(); }

  /// The ranker of client i.
  [[nodiscard]] R const& ranker_of(std::size_t i) const& {
    require(i < rankers_.size(), "ClientRankers::ranker_of", "a client of the population", i);
    return rankers_[i];
  }
  [[nodiscard]] R ranker_of(std::size_t i) const&& { return ranker_of(i); }

  /// The metric of each client's ranker on `queries_of(client)`: see Training::evaluate_personal.
  template <Metric M, class QueriesOf>
  [[nodiscard]] std::vector<std::optional<double>> evaluate_personal(M const& metric,
                                                                     QueriesOf const& queries_of) const {
    return detail::evaluate_each(execution_, clients_, metric, queries_of,
                                 [this](std::size_t i) -> R const& { return rankers_[i]; });
  }

 private:
  std::vector<R> rankers_;
  Clients clients_;
  E execution_;
};

}  // namespace fltr
