#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>
#include <fltr/federation/detail/require_saved.hpp>
#include <fltr/federation/detail/spending.hpp>
#include <fltr/federation/detail/training_state.hpp>
#include <fltr/federation/training.hpp>

namespace fltr {

/// All state of a training: the bytes that `restore` takes. They are the same on every Execution; if it spreads client
/// states over processes, all processes must call it, and each gets the states of all clients.
template <class Policies, Population Clients>
[[nodiscard]] std::vector<std::byte> save(Training<Policies, Clients> const& training) {
  static_assert(detail::require_saved<Training<Policies, Clients>>());
  if constexpr (Training<Policies, Clients>::spreads_states) {
    auto state = training.state_;
    state.clients = detail::for_each_client(training.policies_.execution, training.clients_,
                                            [&](std::size_t i) { return training.state_.clients[i]; });
    return field_bytes(state);
  } else {
    return field_bytes(training.state_);
  }
}

/// Replaces the state of a training by bytes that `save` or `field_bytes` made of a training of the same federation,
/// clients and options, on any Execution. Throws FormatError, and changes nothing, if the bytes do not fit. Ranges of rounds of this
/// training become invalid.
///
/// What the training has spent stays spent, also if the bytes are of an earlier round: `Round::privacy` and the budget
/// have all rounds that it ran. Throws std::invalid_argument, and changes nothing, if each of the two has rounds that the
/// other one has not: they are of two trainings (other data, other parameters), or of two calls of `forget`.
///
/// Rounds that the training has not run itself come with what the saving training had spent until then. If that training
/// ran further rounds, the account does not have them: PrivacyLoss::assumption says that there are none. A Checkpointer
/// knows which rounds were begun, and needs no assumption.
template <class Policies, Population Clients>
void restore(Training<Policies, Clients>& training, std::span<std::byte const> bytes) {
  static_assert(detail::require_saved<Training<Policies, Clients>>());
  auto state = training.state_;
  FieldReader reader(bytes);
  reader.read(state);
  reader.expect_end();
  auto const fault = detail::fault_of(state, training.policies_, training.clients_, training.options_.seed);
  if (!fault.empty()) throw FormatError("Training: " + fault);
  if constexpr (Training<Policies, Clients>::accounted) detail::keep_spent(training.spending(), state);
  training.state_ = std::move(state);
  training.all_begun_.reset();
}

}  // namespace fltr
