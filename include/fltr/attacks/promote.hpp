#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/displayed_list.hpp>
#include <fltr/data/feature_pattern.hpp>

namespace fltr {

/// Promotion of documents, the poisoning attack that Pham (2022) leaves open. Malicious users click every displayed
/// document of a feature pattern and no other, whatever its grade. Their clients learn from these clicks and send their
/// messages like honest clients. `target_ranks` measures the success: the mean rank of the documents before and after.
struct Promote {
  MaliciousClients malicious{};
  FeaturePattern targets{};

  /// The click model of malicious users.
  struct Users {
    FeaturePattern const& targets;

    void click(DisplayedList const& list, std::span<std::uint8_t> clicks, Stream&) const {
      require(!targets.ranges.empty(), "Promote", "targets with at least one range of a feature", "none");
      for (std::size_t i = 0; i < list.size(); ++i) clicks[i] = targets.matches(list.features(i)) ? 1 : 0;
    }
  };

  template <ClickModel Honest>
  [[nodiscard]] Users clicks(Honest const&) const {
    return {targets};
  }
};
static_assert(Attack<Promote> && ClickModel<Promote::Users>);

}  // namespace fltr
