// build error: static assertion failed|static_assert failed
#include "parts.hpp"

#include <fltr/federation/observe_client.hpp>

// ObservedClient holds the clicks of a simulated client, for the comparison with guesses. A ClickGuess cannot ask for it.
struct TakesTheTruth {
  void guess(fltr::ObservedClient const& client, std::span<std::uint8_t> clicks, fltr::Stream&) const {
    std::ranges::copy(client.clicks, clicks.begin());
  }
};
static_assert(fltr::ClickGuess<TakesTheTruth, fltr::LinearRanker>);
