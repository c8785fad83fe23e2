#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/with_interactions.hpp>

namespace fltr {

/// Non-IID type 4 (Wang 2024, section 4.5.2): clients ask different numbers of queries per round, 1, 3, 5, 7 and 9 in
/// turn. Alone, the clients draw from the whole Dataset. Around another population it combines with types 1, 2 and 3:
///
///     auto const type_4 = fltr::ByQuantity{}.split(train);
///     auto const type_2_and_4 = fltr::ByQuantity{}.around(fltr::ByLabel{}.split(std::move(train)));
///
/// The IID twin of the thesis has 5 for every client, the mean of the five numbers; with a number of clients that is no
/// multiple of five, the twin's total differs.
struct ByQuantity {
  std::vector<std::uint32_t> interactions{1, 3, 5, 7, 9};  ///< of the clients in turn
  std::size_t clients = 0;                                 ///< of `split`; 0: one for each number

  /// The Dataset must outlive the population.
  [[nodiscard]] WithInteractions<IidPopulation> split(Dataset const& data) const {
    return {IidPopulation(data, clients == 0 ? interactions.size() : clients, 1), interactions};
  }
  FLTR_UNAVAILABLE(
      "the result of ByQuantity::split refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  WithInteractions<IidPopulation> split(Dataset const&&) const;

  /// The clients of another population with these numbers.
  template <Population P>
  [[nodiscard]] WithInteractions<P> around(P population) const {
    return {std::move(population), interactions};
  }
};
static_assert(Partitioner<ByQuantity>);

}  // namespace fltr
