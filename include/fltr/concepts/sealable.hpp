#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(contribution);
FLTR_HOOK(restored);
}  // namespace composition

/// What a client adds to a sum: a vector, and its weight. The sum has weight · values.
struct Contribution {
  std::vector<double> values;
  std::uint32_t weight = 1;
};

/// Σ weight · values and Σ weight over the clients that reported, and their number.
struct ContributionSum {
  std::vector<double> values;
  double weight = 0.0;
  std::uint64_t count = 0;
};

/// A **Sealable** Aggregator needs nothing of the messages but a sum of vectors. Therefore its messages can be sealed:
/// SecureSum<A> and IdealSum<A> add the vectors up, and A never sees a message.
///
/// | required                          | meaning                                                                      |
/// | --------------------------------- | ---------------------------------------------------------------------------- |
/// | `a.contribution(m, broadcast)`    | const; runs at the client; returns the Contribution of the message; as many  |
/// |                                   | values as `broadcast` has, the shared parameters of the broadcast ranker:    |
/// |                                   | another number is an error when the message is sealed                        |
/// | `a.restored(sum, broadcast)`      | const; runs at the server; returns the Sum (see Aggregator) of the           |
/// |                                   | ContributionSum                                                              |
///
/// Models: FedAvg, FedOpt (the update), EsGradient (the weighted perturbation).
template <class A, class M>
concept Sealable = Streaming<A> && requires(A const& a, M const& message, std::span<float const> broadcast,
                                            ContributionSum const& sum) {
  { a.contribution(message, broadcast) } -> std::same_as<Contribution>;
  { a.restored(sum, broadcast) } -> std::same_as<typename A::Sum>;
};

/// The update of a client: its weights minus the broadcast ones.
[[nodiscard]] inline Contribution update_of(LocalWeights const& message, std::span<float const> broadcast) {
  require(message.values.size() == broadcast.size(), "update_of",
          "a message of " + std::to_string(broadcast.size()) + " values, one for each shared parameter of the ranker",
          message.values.size());
  Contribution out{std::vector<double>(broadcast.size()), message.interactions};
  for (std::size_t i = 0; i < broadcast.size(); ++i)
    out.values[i] = static_cast<double>(message.values[i]) - static_cast<double>(broadcast[i]);
  return out;
}
/// The WeightSum of the messages whose updates were added up.
[[nodiscard]] inline WeightSum weight_sum_of(ContributionSum const& sum, std::span<float const> broadcast) {
  require(sum.values.size() == broadcast.size(), "weight_sum_of",
          "a sum of " + std::to_string(broadcast.size()) + " values, one for each shared parameter of the ranker",
          sum.values.size());
  WeightSum out{std::vector<double>(broadcast.size()), sum.weight, sum.count};
  for (std::size_t i = 0; i < broadcast.size(); ++i)
    out.values[i] = sum.values[i] + sum.weight * static_cast<double>(broadcast[i]);
  return out;
}

namespace composition {

/// Whether an aggregator could be Sealable for some message.
template <class A>
concept NamesContribution = NamesHook_contribution<A> && NamesHook_restored<A>;

}  // namespace composition

}  // namespace fltr
