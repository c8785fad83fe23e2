#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// A user who follows another behaviour in each displayed list: every list draws one of `behaviours`, each equally
/// likely. With the behaviours of a PerClient it is the IID twin of non-IID type 3.
template <ClickModel C>
struct MixtureModel {
  std::vector<C> behaviours;

  void click(auto const& list, std::span<std::uint8_t> clicks, Stream& stream) const {
    require(!behaviours.empty(), "MixtureModel", "at least one behaviour", behaviours.size());
    behaviours[stream.below(static_cast<std::uint32_t>(behaviours.size()))].click(list, clicks, stream);
  }
};
static_assert(ClickModel<MixtureModel<CascadeModel>>);

}  // namespace fltr
