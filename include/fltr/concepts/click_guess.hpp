#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/displayed_documents.hpp>

namespace fltr {

/// What a curious server knows when it guesses the clicks of one client, the target. It holds no clicks and no grades.
///
/// The server delivered the documents, so it knows the features of every displayed list. It received the message of the
/// target, or only the sum of the messages of several clients.
template <class R>
struct ObservedUpdate {
  R const& global;  ///< the broadcast ranker
  /// Received weights minus broadcast weights, one value for each shared parameter. For a sum of messages: the mean
  /// that the server computes from it.
  std::span<double const> update;
  std::span<DisplayedDocuments const> lists;  ///< displayed to the target's user, one per local step
  /// Displayed to users of other clients in the sum. Empty if the server does not know which clients are in the sum.
  std::span<DisplayedDocuments const> other_lists{};

  /// The number of documents that were displayed to the target's user: one guess for each.
  [[nodiscard]] std::size_t document_count() const noexcept {
    std::size_t count = 0;
    for (auto const& list : lists) count += list.size();
    return count;
  }
};

/// A **ClickGuess** estimates from an update of the weights which displayed documents the client's user clicked. It
/// measures what a curious server can learn. It is an argument of functions, not a policy of a federation.
///
/// | required                            | meaning                                                                  |
/// | ----------------------------------- | ------------------------------------------------------------------------ |
/// | `g.guess(observed, clicks, stream)` | const; `observed` is an ObservedUpdate; writes 0 or 1 into `clicks` for  |
/// |                                     | each document of `observed.lists`, list by list in rank order            |
///
/// Not required: a state, a return value. A guess that needs no random number ignores the stream.
///
///     struct GuessesTheFirst {
///       void guess(auto const& observed, std::span<std::uint8_t> clicks, fltr::Stream&) const {
///         std::size_t i = 0;
///         for (auto const& list : observed.lists)
///           for (std::size_t rank = 0; rank < list.size(); ++rank) clicks[i++] = rank == 0;
///       }
///     };
///     static_assert(fltr::ClickGuess<GuessesTheFirst>);
///
/// Models: FirstPosition, RandomGuess, HigherScore, HigherProbability, HigherDistance, LeastSquares,
/// LeastAbsoluteDeviations.
template <class G, class R = archetypes::DifferentiableRanker>
concept ClickGuess = requires(G const& g, ObservedUpdate<R> const& observed, std::span<std::uint8_t> clicks,
                              Stream& stream) { g.guess(observed, clicks, stream); };

}  // namespace fltr
