#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

FLTR_HOOK(participants);
FLTR_HOOK(reports);

/// A part of a round in which a client that was asked may fail to answer.
enum class Phase : std::uint8_t {
  exchange_before,  ///< of a sealing aggregator, before local work
  message,          ///< local work and the message; the only phase without a seal
  exchange_after,   ///< of a sealing aggregator, after the messages
};

/// A moment at which a client is asked.
struct RoundPhase {
  std::uint32_t round = 1;  ///< counting from 1
  Phase phase = Phase::message;
  std::uint32_t exchange = 0;  ///< which one of the phase's exchanges, counting from 0

  /// The purpose of the random numbers by which a client fails at this moment: each moment has its own.
  [[nodiscard]] constexpr Purpose purpose() const noexcept {
    if (phase == Phase::message) return Purpose::reporting;
    return static_cast<Purpose>(static_cast<std::uint32_t>(Purpose::exchange_reporting) + 2 * (exchange % 127) +
                                (phase == Phase::exchange_after ? 1 : 0));
  }
};

/// A **Population** is the clients of a federation. A million of them are a rule, not an array: it makes a client when
/// asked for one.
///
/// | required                           | meaning                                                                   |
/// | ---------------------------------- | ------------------------------------------------------------------------- |
/// | `p.size()`                         | const; how many clients there are                                         |
/// | `p[i]`                             | const; client i by value, with at least the members of Client             |
///
/// | optional                           | meaning                                                                   |
/// | ---------------------------------- | ------------------------------------------------------------------------- |
/// | `p.participants(round, stream)`    | const; positions of those asked in this round (vector<uint32_t>); or all  |
/// | `p.reports(at, i, stream)`         | const; whether client i, asked at a RoundPhase, answers; a client that    |
/// |                                    | does not answer is gone for the rest of the round                         |
///
/// Models: IidPopulation, LoggedPopulation, RecordedPopulation, Sampled, Dropout, std::vector<Client>.
template <class P>
concept Population = std::copyable<P> && requires(P const& p, std::size_t i) {
  { p.size() } -> std::convertible_to<std::size_t>;
  { p[i].id } -> std::convertible_to<ClientId>;
  { p[i].interactions } -> std::convertible_to<std::uint32_t>;
};

/// Whether a client that was asked answers at this moment.
template <Population P>
[[nodiscard]] bool reports(P const& population, RoundPhase const& at, std::size_t client, Stream& stream) {
  if constexpr (NamesHook_reports<P>) {
    static_assert(
        requires { static_cast<bool>(population.reports(at, client, stream)); },
        "fltr: the Population's hook 'reports' must be callable as bool reports(RoundPhase const& at, std::size_t "
        "client, Stream&) const");
    return population.reports(at, client, stream);
  } else {
    return true;
  }
}

template <Population P>
using ClientOf = std::remove_cvref_t<decltype(std::declval<P const&>()[std::size_t{}])>;

/// A **Partitioner** deals a Dataset out to a population: `p.split(dataset)`, const. It is an argument of functions,
/// not a slot of the federation.
///
/// Models: Iid.
template <class P>
concept Partitioner = requires(P const& p, Dataset const& data) {
  { p.split(data) } -> Population;
};

}  // namespace fltr
