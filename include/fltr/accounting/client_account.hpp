#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/number_text.hpp>

namespace fltr {

/// A round as server and clients number it. A later one compares greater: first by the run, then by the round, then by the
/// attempt at it.
struct RoundId {
  std::uint64_t run = 0;
  std::uint32_t round = 0;
  std::uint64_t attempt = 0;

  [[nodiscard]] friend auto operator<=>(RoundId const&, RoundId const&) = default;
  auto fields(auto&& visit) { return visit(run, round, attempt); }
};
[[nodiscard]] inline std::string describe(RoundId const& id) {
  return "run " + number_text(id.run) + ", round " + number_text(id.round) + ", attempt " + number_text(id.attempt);
}

/// A client does not take part in a round. Nothing was sent and nothing was charged.
class RoundRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a client demands of the rounds in which it takes part, whatever the server says.
struct ClientLimits {
  std::uint64_t most_participants = 0;    ///< that a round may ask; the share of noise may depend on their number
  std::uint64_t fewest_reports = 1;       ///< whose noise is in a sum; a seal must not open the sum of fewer
  std::uint32_t most_interactions = 0;    ///< that a client may be asked for
  std::uint32_t fewest_interactions = 1;  ///< that a client may be asked for
  /// What the server does with messages that are not sealed. `assumed_sum`: the client trusts it to keep only the sum of
  /// at least `fewest_reports` messages.
  ServerView view = ServerView::messages;
  double epsilon_budget = 0.0;  ///< of all messages, at every stop at once; infinity: none
  double delta = 1e-5;          ///< of the budget; 0: only pure bounds
};

/// The account of one real client: which rounds it took part in, and what its messages have cost. `client_message` and
/// SealedClient ask it before anything leaves the client. It refuses
/// - a round that is not newer than the last one: the mean of many messages of one round has no noise;
/// - numbers outside of its limits: with 10^9 participants the share of GammaNoise in a message is 0;
/// - a message with which the loss of all messages could exceed the budget. The budget is compared with
///   `PrivacyLoss::epsilon_any_stop`: the server may choose the numbers of a round, and so its price, after it has seen
///   the messages before. `epsilon_accounted` does not hold then, because the order of its Rényi divergence depends on
///   all prices. See PrivacySum::epsilon_at_any_stop.
///
/// The price of a message is the loss of the worst RoundRelease that the limits allow. It is charged before the message is
/// made, and never taken back. Store the account (`field_bytes`) before the message is sent, and `restore` it when the
/// client starts again.
///
///     fltr::ClientAccount account({.most_participants = 100, .fewest_reports = 80, .most_interactions = 4,
///                                  .epsilon_budget = 8.0});
///
/// It cannot be copied: two copies would spend the budget twice. An account that was moved from refuses all rounds.
class ClientAccount {
 public:
  explicit ClientAccount(ClientLimits limits) : limits_(limits), bounds_(limits.delta), spent_(1) {
    require(limits.most_participants >= 1, "ClientLimits", "most_participants >= 1", limits.most_participants);
    require(limits.fewest_reports >= 1 && limits.fewest_reports <= limits.most_participants, "ClientLimits",
            "fewest_reports from 1 to most_participants", limits.fewest_reports);
    require(limits.most_interactions >= 1, "ClientLimits", "most_interactions >= 1", limits.most_interactions);
    require(limits.fewest_interactions <= limits.most_interactions, "ClientLimits",
            "fewest_interactions of at most most_interactions", limits.fewest_interactions);
    require(limits.view != ServerView::sealed_sum, "ClientLimits", "a view of messages that are not sealed",
            "sealed_sum");
    require(limits.epsilon_budget >= 0.0, "ClientLimits", "an epsilon_budget >= 0", limits.epsilon_budget);
  }
  ClientAccount(ClientAccount const&) = delete;
  ClientAccount& operator=(ClientAccount const&) = delete;
  ClientAccount(ClientAccount&& other)
      : limits_(other.limits_),
        bounds_(other.bounds_),
        spent_(other.spent_),
        last_message_(std::exchange(other.last_message_, never)),
        last_seal_(std::exchange(other.last_seal_, never)) {}
  ClientAccount& operator=(ClientAccount&&) = delete;
  ~ClientAccount() = default;

  [[nodiscard]] ClientLimits const& limits() const noexcept { return limits_; }

  /// Takes part in a sealed round: called before its first letter. `release` has the server's numbers. Throws RoundRefused.
  void enter_seal(RoundId const& id, RoundRelease const& release) {
    require_newer(id, last_seal_);
    require_within_limits(release);
    last_seal_ = id;
  }

  /// Charges the message of a round: called before the message is made. `release`: the worst one that the limits allow,
  /// see client_message. `disclosed`: what the message tells although its values are privatized. Throws RoundRefused.
  template <class P>
  void charge(RoundId const& id, P const& privatizer, RoundRelease const& release, std::string const& disclosed = {}) {
    require_newer(id, last_message_);
    require_within_limits(release);
    PrivacyLoss price = loss(privatizer, release);
    if constexpr (!composition::NamesHook_loss<P>) price.unbound("the privatizer states no loss");
    if (!disclosed.empty()) price.unbound(disclosed);
    PrivacyAccount after = spent_;
    after.charge(price, {});
    PrivacyLoss const total = after.of_client(0, bounds_);
    constexpr double rounding = 1e-12;  // three messages of .1 fit a budget of .3
    if (limits_.epsilon_budget < std::numeric_limits<double>::infinity())
      refuse_unless(total.epsilon_any_stop <= limits_.epsilon_budget * (1.0 + rounding),
                    "an epsilon_budget >= " + number_text(total.epsilon_any_stop) + " for " + describe(id) +
                        (total.reason.empty() ? "" : " (" + total.reason + ")"),
                    number_text(limits_.epsilon_budget));
    last_message_ = id;
    spent_ = std::move(after);
  }

  /// The loss of all messages so far.
  [[nodiscard]] PrivacyLoss privacy() const { return spent_.of_client(0, bounds_); }
  /// The last round that was charged.
  [[nodiscard]] RoundId const& last_message() const noexcept { return last_message_; }
  /// The last sealed round in which the client took part.
  [[nodiscard]] RoundId const& last_seal() const noexcept { return last_seal_; }

  /// What changes: the rounds and the loss. The limits are the client's own.
  auto fields(auto&& visit) { return visit(last_message_, last_seal_, spent_); }

 private:
  static constexpr RoundId never{std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint32_t>::max(),
                                 std::numeric_limits<std::uint64_t>::max()};
  friend void restore(ClientAccount& account, std::span<std::byte const> bytes);

  static void refuse_unless(bool holds, std::string const& required, std::string const& got) {
    if (!holds) throw RoundRefused("ClientAccount: required " + required + ", got " + got);
  }
  static void require_newer(RoundId const& id, RoundId const& last) {
    refuse_unless(last != never, "an account that was not moved from", "one that was");
    refuse_unless(id > last, "a round after " + describe(last), describe(id));
  }
  void require_within_limits(RoundRelease const& release) const {
    refuse_unless(release.asked <= limits_.most_participants,
                  "a round of at most " + number_text(limits_.most_participants) + " participants",
                  number_text(release.asked));
    refuse_unless(release.asked >= limits_.fewest_reports,
                  "a round of at least " + number_text(limits_.fewest_reports) + " participants",
                  number_text(release.asked));
    refuse_unless(release.reported >= limits_.fewest_reports,
                  "a sum of at least " + number_text(limits_.fewest_reports) + " messages",
                  number_text(release.reported));
    refuse_unless(
        release.interactions >= limits_.fewest_interactions && release.interactions <= limits_.most_interactions,
        number_text(limits_.fewest_interactions) + " to " + number_text(limits_.most_interactions) + " interactions",
        number_text(release.interactions));
  }

  ClientLimits limits_;
  BoundsAt bounds_;
  PrivacyAccount spent_;
  RoundId last_message_{};
  RoundId last_seal_{};
};

/// Continues with a stored account: the bytes of `field_bytes(account)`. The limits stay those of `account`. Throws
/// FormatError, and changes nothing, if the bytes do not fit, and std::invalid_argument if `account` took part in a round
/// already: what it has spent stays spent.
inline void restore(ClientAccount& account, std::span<std::byte const> bytes) {
  require(account.last_message_ == RoundId{} && account.last_seal_ == RoundId{}, "ClientAccount",
          "an account without a round", describe(std::max(account.last_message_, account.last_seal_)));
  ClientAccount stored(account.limits_);
  FieldReader reader(bytes);
  reader.read(stored);
  reader.expect_end();
  if (!stored.spent_.consistent(1))
    throw FormatError("ClientAccount: required an account of one client with losses >= 0, got another one");
  account.spent_ = std::move(stored.spent_);
  account.last_message_ = stored.last_message_;
  account.last_seal_ = stored.last_seal_;
}

}  // namespace fltr
