// Whatever the bytes, from_bytes accepts them or throws FormatError. The bytes are also read as the payload of a message
// whose checksum is correct. to_bytes makes the same bytes of what from_bytes accepts, and screening by `fits` ends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/envelope.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/cluster_weights.hpp>
#include <fltr/messages/evolution_message.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/wire.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "fuzz/target.hpp"

namespace {

template <class M>
void read(std::span<std::byte const> bytes, auto const& use) {
  try {
    M const message = fltr::from_bytes<M>(bytes);
    fltr::testing::must(std::ranges::equal(fltr::to_bytes(message), bytes));
    use(message);
  } catch (fltr::FormatError const&) {
  }
}

template <class M>
void read_both(std::span<std::byte const> bytes, auto const& use = [](M const&) {}) {
  read<M>(bytes, use);
  read<M>(fltr::enclose(fltr::detail::wire_format<M>, bytes), use);
}

}  // namespace

FLTR_FUZZ_TARGET(wire) {
  static fltr::LinearRanker const ranker(3);
  auto const bytes = std::as_bytes(std::span(data, size));
  auto const fits = [](auto const& message) { static_cast<void>(message.fits(ranker, 4)); };
  read_both<fltr::LocalWeights>(bytes, fits);
  read_both<fltr::EvolutionMessage>(bytes, fits);
  read_both<fltr::ClusterWeights>(bytes, [](auto const&) {});
  read_both<fltr::Forest>(bytes, [](fltr::Forest const& forest) { static_cast<void>(forest.feature_count()); });
}
