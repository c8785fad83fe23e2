#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// A base of a population W around a population P: has the hook `participants` if P has it. W has `inner()`.
template <class W, Population P>
struct ForwardedParticipants {};
template <class W, Population P>
requires composition::NamesHook_participants<P>
struct ForwardedParticipants<W, P> {
  [[nodiscard]] std::vector<std::uint32_t> participants(std::uint32_t round, Stream& stream) const {
    return static_cast<W const&>(*this).inner().participants(round, stream);
  }
};

/// The same for the hook `reports`.
template <class W, Population P>
struct ForwardedReports {};
template <class W, Population P>
requires composition::NamesHook_reports<P>
struct ForwardedReports<W, P> {
  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    return fltr::reports(static_cast<W const&>(*this).inner(), at, i, stream);
  }
};

}  // namespace fltr::detail
