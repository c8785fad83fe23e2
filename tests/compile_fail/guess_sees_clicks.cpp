// build error: no member named .*clicks
#include "parts.hpp"

#include <fltr/concepts/click_guess.hpp>

// A guess receives what the server observes. The clicks are not part of it.
struct ReadsClicks {
  void guess(fltr::ObservedUpdate<fltr::LinearRanker> const& observed, std::span<std::uint8_t>, fltr::Stream&) const {
    static_cast<void>(observed.clicks);
  }
};
