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
/// | `p.reports(round, i, stream)`      | const; whether client i, asked, reports back at all                       |
///
/// Models: IidPopulation, LoggedPopulation, RecordedPopulation, Sampled, Dropout, std::vector<Client>.
template <class P>
concept Population = std::copyable<P> && requires(P const& p, std::size_t i) {
  { p.size() } -> std::convertible_to<std::size_t>;
  { p[i].id } -> std::convertible_to<ClientId>;
  { p[i].interactions } -> std::convertible_to<std::uint32_t>;
};

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
