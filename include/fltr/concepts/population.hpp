#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/secrecy.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(participants);
FLTR_HOOK(reports);
FLTR_HOOK(queries);
FLTR_HOOK(scaled_by);
FLTR_HOOK(log);
FLTR_HOOK(merge);
}  // namespace composition

/// A part of a round in which a client that was asked may fail to answer.
enum class Phase : std::uint8_t {
  exchange_before,  ///< an exchange of a sealing aggregator before local work
  message,          ///< before or during local work: nothing remains of it
  delivery,         ///< after local work: the client keeps what it learned, but its message does not arrive
  exchange_after,   ///< an exchange of a sealing aggregator after the messages
};

/// A moment at which the server asks a client.
struct RoundPhase {
  std::uint32_t round = 1;  ///< counting from 1
  Phase phase = Phase::message;
  std::uint32_t exchange = 0;  ///< the number of the exchange in its phase, counting from 0

  /// The purpose of the random numbers that decide whether a client answers at this moment. Each moment has its own,
  /// except that `message` and `delivery` have the same: a population that does not look at the phase gives the same
  /// answer to both.
  [[nodiscard]] constexpr Purpose purpose() const noexcept {
    if (phase == Phase::message || phase == Phase::delivery) return Purpose::reporting;
    return static_cast<Purpose>(static_cast<std::uint32_t>(Purpose::exchange_reporting) + 2 * (exchange % 127) +
                                (phase == Phase::exchange_after ? 1 : 0));
  }
};

/// A **Population** is the set of clients of a federation. It computes a client when it is asked for one, so that a
/// million clients need no array.
///
/// | required                        | meaning                                                                        |
/// | ------------------------------- | ------------------------------------------------------------------------------ |
/// | `p.size()`                      | const; the number of clients                                                   |
/// | `p[i]`                          | const; client i < p.size(), by value or by const reference: a Client, or a     |
/// |                                 | type with `id` (ClientId, different for each client) and `interactions`        |
/// |                                 | (std::uint32_t per round)                                                      |
/// | copyable                        | a Training keeps a copy                                                        |
///
/// | optional                        | meaning                                                                        |
/// | ------------------------------- | ------------------------------------------------------------------------------ |
/// | `p.participants(round, stream)` | const; returns the positions of the clients that are asked in this round, a    |
/// |                                 | std::vector<std::uint32_t>; default: all clients                               |
/// | `p.reports(at, i, stream)`      | const; returns bool: whether client i answers at a RoundPhase; a client that   |
/// |                                 | does not answer is not asked again in this round; default: true                |
///
/// | `p.discloses()`                 | const; returns a string: why a fact that the server sees outside of messages   |
/// |                                 | depends on clients' data; empty: none does. With a text, a ledger accounts     |
/// |                                 | epsilon = infinity, with this text as the reason; default: none does           |
///
/// | member of a client              | needed by                                                                      |
/// | ------------------------------- | ------------------------------------------------------------------------------ |
/// | `queries`                       | a QuerySource, for learners that draw queries                                  |
/// | `log(streams, buffer)`          | learners of logged clicks (see partition/logged_population.hpp)                |
/// | `validation`, `merge`           | LambdaMart and the merging of forests                                          |
///
/// Rules of `participants`: Rounds count from 1. All positions are smaller than size(), and no position occurs twice.
/// The order has no influence. With an empty vector the round has no messages, and the ranker does not change. A client
/// that joins later belongs to the population from the start; `participants` does not name it before it joins. For a
/// client that is asked and does not answer, `reports` returns false.
///
/// `p[i]` must give an equal client in every call. The start of a training calls it for all clients, to check the ids.
/// A round calls it only for the clients that are asked (for all clients if the Aggregator has `personalize`). `p[i]`
/// and `reports` are called from several threads at the same time if the Execution has several threads; `participants`
/// is not. If a client is expensive to make, keep a std::vector<Client> as a member and return its elements.
///
/// **Privacy.** The server sees which clients exist, which are asked and answer, how late, and their `interactions`. No
/// noise on messages covers that. All of it counts as public, unless `discloses` says that it depends on clients' data. A
/// population around another one forwards it: `return fltr::disclosed_by(population);`.
///
/// | built in                                   | decided by                                           | depends on data |
/// | ------------------------------------------ | ---------------------------------------------------- | --------------- |
/// | IidPopulation, PoolPopulation,             | constants: all clients take part with the same       | no              |
/// | PreferencePopulation, RegroupedPopulation, | interactions, also clients without documents or      |                 |
/// | LoggedPopulation, RecordedPopulation,      | clicks                                               |                 |
/// | DirichletOverQueries, ByCategory           |                                                      |                 |
/// | UserPopulation of ByUser                   | the users of the log; with `minimum_queries` their   | no; yes, unless |
/// |                                            | numbers of queries                                   | published       |
/// | SharedClients, std::vector<Client>         | the caller                                           | counts as no    |
/// | SharingClients of SharedData               | the population within; clients that keep G learn     | as within; yes  |
/// |                                            | from queries of others                               | if not removed  |
/// | Sampled                                    | a draw, the same for all clients                     | as within       |
/// | SampledByQuantity                          | draws by interactions; by numbers of queries         | as within; yes, |
/// |                                            |                                                      | unless published |
/// | Dropout, WithAbsences                      | draws; a trace of the caller                         | as within       |
/// | Stragglers                                 | draws and interactions                               | as within       |
/// | WithInteractions, ByQuantity               | numbers of the caller, by position                   | as within       |
///
/// Features that were normalised together are found by the clients' queries (see Dataset::scaled_by and QuerySource).
///
/// A client with some queries of a Dataset has `fltr::QueryPool(data, {0, 3, 7})`: the numbers of its queries, a
/// std::vector<std::uint32_t>. A client without queries (`queries.size() == 0`) is asked like the others and sends a
/// message without content: Pdgd and LambdaRank send the broadcast parameters with weight 0, EvolutionStrategy sends no
/// measured values, and LambdaMart sends a forest without trees. Learners of logged clicks give all clients the same
/// weight: with an empty log they send the broadcast parameters with weight `interactions`. A Privatizer with a `loss`
/// changes these messages to the form of a message after all interactions (see `complete`).
///
/// Not required: iterators, references, a Dataset.
///
///     struct TwoClients {
///       fltr::Dataset const* data;
///       std::size_t size() const { return 2; }
///       fltr::Client operator[](std::size_t i) const {  // client 0 has the even queries, client 1 the odd ones
///         std::vector<std::uint32_t> own;
///         for (auto q = static_cast<std::uint32_t>(i); q < data->size(); q += 2) own.push_back(q);
///         return {.id = static_cast<fltr::ClientId>(i), .interactions = 4, .queries = fltr::QueryPool(*data, own)};
///       }
///     };
///     static_assert(fltr::Population<TwoClients>);
///
/// Models: IidPopulation, PoolPopulation, PreferencePopulation, RegroupedPopulation, UserPopulation, SharedClients,
/// LoggedPopulation, RecordedPopulation, std::vector<Client>; around other populations Sampled, SampledByQuantity,
/// Dropout, Stragglers, WithAbsences, WithInteractions.
template <class P>
concept Population = std::copyable<P> && requires(P const& p, std::size_t i) {
  { p.size() } -> std::convertible_to<std::size_t>;
  { p[i].id } -> std::convertible_to<ClientId>;
  { p[i].interactions } -> std::convertible_to<std::uint32_t>;
};

/// Whether a client that was asked answers at this moment.
template <Population P>
[[nodiscard]] bool reports(P const& population, RoundPhase const& at, std::size_t client, Stream& stream) {
  if constexpr (composition::NamesHook_reports<P>) {
    static_assert(
        requires { static_cast<bool>(population.reports(at, client, stream)); },
        "fltr: the Population's hook 'reports' must be callable as bool reports(RoundPhase const& at, std::size_t "
        "client, Stream&) const");
    return population.reports(at, client, stream);
  } else {
    return true;
  }
}

/// Why a fact that the server sees outside of messages depends on clients' data: the hook `discloses`; empty: none does.
template <Population P>
[[nodiscard]] std::string disclosed_by(P const& population) {
  if constexpr (composition::NamesHook_discloses<P>) {
    static_assert(
        requires { std::string(population.discloses()); },
        "fltr: the Population's hook 'discloses' must be callable as std::string discloses() const");
    return std::string(population.discloses());
  } else {
    return {};
  }
}

namespace composition {

/// On which other documents the features of a client's queries depend.
struct FeatureScaling {
  ScaledBy scaled_by = ScaledBy::nothing;
  bool known = true;  ///< false: a QuerySource without the hook `scaled_by`
};

/// What features that were scaled by documents of several clients tell.
inline constexpr char const* scaled_by_others =
    "features were scaled by documents of several clients, which are not declared public";

template <class C>
[[nodiscard]] FeatureScaling feature_scaling(C const& client) {
  if constexpr (requires { client.queries.size(); }) {
    using Queries = std::remove_cvref_t<decltype(client.queries)>;
    if constexpr (NamesHook_scaled_by<Queries>) {
      static_assert(
          requires {
            { client.queries.scaled_by() } -> std::same_as<ScaledBy>;
          }, "fltr: the QuerySource's hook 'scaled_by' must be callable as ScaledBy scaled_by() const");
      return {client.queries.scaled_by(), true};
    } else {
      return {ScaledBy::nothing, client.queries.size() == 0};
    }
  } else {
    return {};
  }
}

}  // namespace composition

/// The type of a population's clients.
template <Population P>
using ClientOf = std::remove_cvref_t<decltype(std::declval<P const&>()[std::size_t{}])>;

/// A **Partitioner** distributes a Dataset over the clients of a Population: `p.split(data)`, const, returns the
/// Population. It is an argument of functions, not a policy of a federation. It has one of two forms:
///
/// | form                       | meaning                                                                             |
/// | -------------------------- | ----------------------------------------------------------------------------------- |
/// | `p.split(data)`            | the clients refer to the Dataset, which must outlive the Population                 |
/// | `p.split(std::move(data))` | the Population takes the Dataset and rearranges its documents; a caller that needs  |
/// |                            | the Dataset later writes the copy: `p.split(Dataset(data))`                         |
///
/// Models: Iid, ByCategory, ByPreference, ByQuantity, ByUser, DirichletOverQueries; with a moved Dataset ByLabel and
/// DirichletOverGrades.
template <class P>
concept Partitioner = requires(P const& p, Dataset const& data) {
  { p.split(data) } -> Population;
} || requires(P const& p, Dataset&& data) {
  { p.split(std::move(data)) } -> Population;
};

}  // namespace fltr
