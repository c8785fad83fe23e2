#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace fltr {

/// What the server sees of the messages of a round. A constant of the aggregator's type (see server_view).
enum class ServerView : std::uint8_t {
  sealed_sum,   ///< the sum alone: messages are sealed
  assumed_sum,  ///< every message, one after the other; the figures assume a server that keeps only their sum
  messages,     ///< every message; or attackers see them all, and what they send can tell the server
};

/// What one round revealed: the facts on which the price of a message depends. Before a round it holds the worst that
/// the rules allow, for the budget; after the round what happened.
struct RoundRelease {
  std::uint64_t asked = 0;         ///< clients
  std::uint64_t reported = 0;      ///< clients whose messages were used
  std::uint64_t rejected = 0;      ///< clients whose messages arrived and were screened out
  std::uint64_t noiseless = 0;     ///< of those reported: attackers, who send what they like and add no noise
  std::size_t dimension = 0;       ///< values in a message
  std::uint32_t interactions = 0;  ///< the most that any client was asked for
  double smallest_weight = 1.0;    ///< of an honest client's message in the sum …
  double largest_weight = 1.0;     ///< … and the largest
  ServerView view = ServerView::assumed_sum;
  bool discarded = false;  ///< fewer messages than the rules require: the sum was not used
  bool altered = false;    ///< a message changes after its noise was added: by a later link of a Chain that states no loss
                           ///< itself, or by an aggregator that is not linear
};

/// The price of one round, or of all rounds so far, for a client that took part in every one. An infinite
/// `epsilon_accounted` has a `reason`.
struct PrivacyLoss {
  double epsilon_nominal = 0.0;    ///< as the paper of the mechanism counts it
  double epsilon_accounted = 0.0;  ///< what holds: unit one client, replace-one
  double delta = 0.0;
  std::string assumption{};  ///< under which `epsilon_accounted` holds, if any
  std::string reason{};      ///< why `epsilon_accounted` is infinite

  /// Plain composition: losses add up. The first assumption and the first reason are kept.
  PrivacyLoss& operator+=(PrivacyLoss const& other) {
    epsilon_nominal += other.epsilon_nominal;
    epsilon_accounted += other.epsilon_accounted;
    delta += other.delta;
    if (assumption.empty()) assumption = other.assumption;
    if (reason.empty()) reason = other.reason;
    return *this;
  }
  auto fields(auto&& visit) { return visit(epsilon_nominal, epsilon_accounted, delta, assumption, reason); }
};

}  // namespace fltr
