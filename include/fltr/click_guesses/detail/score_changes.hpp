#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/click_guess.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr::detail {

/// The scores of one list under the broadcast ranker and under the received weights.
struct ListScores {
  std::vector<float> before;
  std::vector<float> after;

  /// f'(d) − f(d) of the document at a rank.
  [[nodiscard]] double change(std::size_t rank) const {
    return static_cast<double>(after[rank]) - static_cast<double>(before[rank]);
  }
};

/// Requires one update value for each shared parameter and one guess for each document.
template <class R>
void require_sizes(char const* who, ObservedUpdate<R> const& observed, std::span<std::uint8_t> clicks) {
  std::size_t const parameters = shared_parameters(observed.global).size();
  require(observed.update.size() == parameters, who,
          "an update of " + std::to_string(parameters) + " values, one for each shared parameter",
          observed.update.size());
  std::size_t const documents = observed.document_count();
  require(clicks.size() == documents, who, "room for " + std::to_string(documents) + " guesses, one for each document",
          clicks.size());
}

/// Calls use(scores, clicks of the list) for each list.
template <ParametricRanker R>
void for_each_list(char const* who, ObservedUpdate<R> const& observed, std::span<std::uint8_t> clicks,
                   auto const& use) {
  require_sizes(who, observed, clicks);
  R local = observed.global;
  auto const weights = shared_parameters(local);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(static_cast<double>(weights[i]) + observed.update[i]);
  std::size_t first = 0;
  for (auto const& list : observed.lists) {
    ListScores scores{std::vector<float>(list.size()), std::vector<float>(list.size())};
    observed.global.score(list.documents(), scores.before);
    local.score(list.documents(), scores.after);
    use(scores, clicks.subspan(first, list.size()));
    first += list.size();
  }
}

}  // namespace fltr::detail
