#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/pooled_queries.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr {

/// A client with its own and with shared queries.
struct SharingClient {
  ClientId id = 0;
  std::uint32_t interactions = 4;
  PooledQueries queries;
};
static_assert(HasQueries<SharingClient>);

/// The clients of SharedData.
struct SharingClients {
  std::vector<SharingClient> clients;
  std::string disclosed{};  ///< why what the server sees depends on clients' data; empty: it does not

  [[nodiscard]] std::size_t size() const noexcept { return clients.size(); }
  [[nodiscard]] SharingClient const& operator[](std::size_t i) const& noexcept { return clients[i]; }
  FLTR_UNAVAILABLE("a client refers to its population, so the population must not be a temporary: give it a name")
  SharingClient const& operator[](std::size_t) const&&;
  [[nodiscard]] std::string discloses() const { return disclosed; }
};
static_assert(Population<SharingClients>);

/// Data sharing against skewed labels (Zhao et al. 2018; thesis of Wang 2024, section 4.4.3). A random share of the
/// queries is the set G. The server trains the start model on G (warm_start). A random fraction α of G goes to every
/// client, the same queries to all, and each client draws from its own and the shared queries in proportion to their
/// numbers.
///
/// The thesis takes G from "10% of the entire dataset" and does not say whether clients keep these queries, nor which
/// α. Here clients do not keep the queries of G (`removed`), as in the paper of Zhao et al., where G is a data set
/// apart: otherwise the warm start would see data of the clients. Queries are recognised by their qid, so that all parts
/// of a query that is divided among clients are removed. G has the grades of the Dataset, also for clients with own
/// grades.
///
/// **Privacy.** The queries of G and the clicks on them go to the server unprotected: warm_start adds no noise, and the
/// start model reveals G. The fraction α of G goes to every client as it is. No privatizer's loss covers any of this.
/// With `removed = false` the clients' own messages depend on the same queries, although they are among the clients' own
/// data: a ledger then accounts epsilon = infinity. With `removed = true` the clients' own pools do
/// not depend on the documents, features and grades of G, only on its qids.
///
///     fltr::SharedData const sharing{.share = 0.1, .fraction = 0.5};
///     auto const shared = sharing.choose(data);
///     auto const start = fltr::warm_start(federation, shared, {.rounds = 100});
///     auto training = federation.with_ranker(start).start(sharing.give(clients, shared), {.seed = 1});
struct SharedData {
  double share = 0.1;     ///< of the queries of the Dataset: G
  double fraction = 0.5;  ///< α: of G, for every client
  std::uint64_t seed = 1;
  bool removed = true;  ///< whether clients lose the queries of G from their own pools

  /// G: a random choice of the queries, at least one.
  [[nodiscard]] QueryPool choose(Dataset const& data) const {
    require(share > 0.0 && share < 1.0, "SharedData", "a share of the queries in (0, 1)", share);
    require(data.size() > 0, "SharedData", "a dataset with at least one query", data.size());
    return {data, some_of(data.size(), share, 0)};
  }
  FLTR_UNAVAILABLE(
      "the result of SharedData::choose refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  QueryPool choose(Dataset const&&) const;

  /// The queries of G that every client gets; none for α = 0.
  [[nodiscard]] QueryPool sent(QueryPool const& shared) const {
    require(fraction >= 0.0 && fraction <= 1.0, "SharedData", "a fraction in [0, 1]", fraction);
    if (fraction == 0.0 || shared.size() == 0) return {};
    return shared.only(some_of(shared.size(), fraction, 1));
  }

  /// The clients of any population whose `queries` are QueryPools, with the shared queries. Put Sampled and Dropout
  /// around the result. Clients that have the same queries share the memory of the new pool.
  template <Population P>
  [[nodiscard]] SharingClients give(P const& population, QueryPool const& shared) const {
    static_assert(!composition::NamesHook_participants<P> && !composition::NamesHook_reports<P>,
                  "fltr: SharedData takes the clients themselves: put Sampled and Dropout around its result");
    static_assert(
        requires(ClientOf<P> const& client) {
          requires std::same_as<std::remove_cvref_t<decltype(client.queries)>, QueryPool>;
        }, "fltr: SharedData needs clients whose member 'queries' is a QueryPool");
    QueryPool const common = sent(shared);
    std::vector<std::string_view> taken;
    for (std::size_t i = 0; removed && i < shared.size(); ++i) taken.push_back(shared.qid(i));
    std::ranges::sort(taken);
    std::vector<SharingClient> clients;
    clients.reserve(population.size());
    QueryPool before;  // of the last client, with and without G
    QueryPool after;
    for (std::size_t i = 0; i < population.size(); ++i) {
      auto const client = population[i];
      if (i == 0 || !client.queries.same_queries(before)) {
        before = client.queries;
        after = without(before, taken);
      }
      clients.push_back({client.id, client.interactions, PooledQueries(after, common)});
    }
    std::string disclosed = disclosed_by(population);
    if (!removed && disclosed.empty())
      disclosed = "shared queries are still among clients' own, so that messages of other clients depend on them";
    return {std::move(clients), std::move(disclosed)};
  }

 private:
  /// A random choice of `part` of the numbers below n, rising; at least one.
  [[nodiscard]] std::vector<std::uint32_t> some_of(std::size_t n, double part, std::uint32_t step) const {
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0U);
    Stream stream = Streams{seed, step}.of(Purpose::shared_data);
    stream.shuffle(std::span(numbers));
    numbers.resize(std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(part * static_cast<double>(n)))));
    std::ranges::sort(numbers);
    return numbers;
  }

  [[nodiscard]] static QueryPool without(QueryPool const& pool, std::vector<std::string_view> const& taken) {
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < pool.size(); ++i)
      if (!std::ranges::binary_search(taken, pool.qid(i))) kept.push_back(static_cast<std::uint32_t>(i));
    return kept.size() == pool.size() ? pool : pool.only(kept);
  }
};

}  // namespace fltr
