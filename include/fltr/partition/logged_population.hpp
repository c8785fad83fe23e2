#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/detail/log_simulation.hpp>
#include <fltr/partition/logging_options.hpp>

namespace fltr {

/// Clients that search with a production ranker, which does not change, and click on its lists (FedIPS). The logs are
/// not stored. The log of a round is a function of the seed, the round and the client, and is computed on each access.
/// So a million clients need no memory, and two trainings with the same seed see the same clicks. The Dataset must
/// outlive the population.
class LoggedPopulation {
 public:
  /// A client whose log is simulated.
  struct LoggedClient : Client {
    detail::LogSimulation const* simulation = nullptr;

    /// Computes the log of the round of these streams into `buffer` and returns it.
    [[nodiscard]] ClickLog const& log(Streams const& streams, ClickLog& buffer) const {
      simulation->simulate(id, queries, streams, buffer);
      return buffer;
    }
  };

  template <Ranker R>
  LoggedPopulation(Dataset const& data, R const& production, LoggingOptions options = {})
      : simulation_(std::make_shared<detail::LogSimulation const>(data, production, std::move(options))) {}
  template <Ranker R>
  FLTR_UNAVAILABLE("LoggedPopulation refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  LoggedPopulation(Dataset const&&, R const&, LoggingOptions = {});
  // Copies share the lists, which never change. A move copies the shared pointer, so that a moved-from object stays
  // valid.
  LoggedPopulation(LoggedPopulation const&) = default;
  LoggedPopulation& operator=(LoggedPopulation const&) = default;
  ~LoggedPopulation() = default;

  [[nodiscard]] std::size_t size() const noexcept { return simulation_->options().clients; }
  /// The client refers to lists that this population shares with its copies. One of them must outlive the client.
  [[nodiscard]] LoggedClient operator[](std::size_t i) const& noexcept {
    return {{static_cast<ClientId>(i), simulation_->options().clicks, QueryPool(simulation_->data())},
            simulation_.get()};
  }
  FLTR_UNAVAILABLE("a client refers to its population, so the population must not be a temporary: give it a name")
  LoggedClient operator[](std::size_t) const&&;

  /// η of a client's position bias: P(examined) = (1 / position)^η.
  [[nodiscard]] double exponent_of(ClientId client) const { return simulation_->exponent_of(client); }
  /// The production ranker's list of a query: documents, best first.
  [[nodiscard]] std::span<std::uint32_t const> displayed(std::size_t query) const& noexcept {
    return simulation_->displayed(query);
  }
  FLTR_UNAVAILABLE("a displayed list refers to its population, which must not be a temporary: give it a name")
  std::span<std::uint32_t const> displayed(std::size_t) const&&;

  auto members(auto&& visit) const { return visit(*simulation_); }

 private:
  std::shared_ptr<detail::LogSimulation const> simulation_;
};
static_assert(Population<LoggedPopulation>);

}  // namespace fltr
