#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/accounting/client_account.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/client_key.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/detail/seal_phases.hpp>
#include <fltr/federation/detail/server_sees.hpp>
#include <fltr/federation/round_info.hpp>

namespace fltr {

/// A client's half of a sealed round, over bytes. The client answers the server's letters one after the other:
///
///     fltr::SealedClient client(aggregator, context, account);  // refuses a round that is not newer than the last one
///     reply = client.answer(question);                          // in each exchange before the message
///     reply = client.seal(std::move(message), question);
///     reply = client.answer(question);                          // in each exchange after it
///
/// The numbers and ids in `context` come from the server. The numbers must be within the limits of the client's account,
/// and the ids must be different and have that of the client (RoundRefused): a sum over fewer clients than ids would have
/// less noise than the account charges for.
/// A client that takes part in an attempt for the second time would reveal both secrets of its message.
///
/// It can be moved and not copied: two copies would mask two messages with the same keys.
template <class A>
class SealedClient {
 public:
  SealedClient(A aggregator, SealContext context, ClientAccount& account)
      : aggregator_(std::move(aggregator)), context_(context) {
    require_different_ids();
    account.enter_seal(id(), release());
  }
  SealedClient(SealedClient const&) = delete;
  SealedClient& operator=(SealedClient const&) = delete;
  /// The other client then answers nothing more.
  SealedClient(SealedClient&& other)
      : aggregator_(std::move(other.aggregator_)),
        context_(std::exchange(other.context_, {})),
        secret_(std::exchange(other.secret_, {})),
        phase_(std::exchange(other.phase_, detail::SealPhases<A>::count)) {}
  SealedClient& operator=(SealedClient&&) = delete;
  /// Secrets of the seal (SecureSum) and the client's key overwrite themselves.
  ~SealedClient() = default;

  [[nodiscard]] std::size_t phase() const noexcept { return phase_; }
  [[nodiscard]] SealRound const& round() const noexcept { return context_.round; }
  [[nodiscard]] RoundId id() const noexcept {
    return {context_.round.run, context_.round.number, context_.round.attempt};
  }

  /// What the server sees of the round at worst, as far as the seal and the server's numbers say.
  [[nodiscard]] RoundRelease release() const {
    RoundRelease out;
    out.asked = context_.round.asked.size();
    out.reported = context_.round.minimum_reports;
    out.interactions = context_.interactions;
    detail::set_server_view(aggregator_, out);
    return out;
  }

  /// The answer to the server's letter of an exchange.
  [[nodiscard]] Letter answer(Letter const& question) {
    require(phase_ != detail::SealPhases<A>::message && phase_ < detail::SealPhases<A>::count, "SealedClient::answer",
            "a phase with an exchange", phase_);
    if constexpr (SealProtocol<A>) {
      return aggregator_.answer(phase_++, secret_, question, context_);
    } else {
      return {};
    }
  }

  /// The sealed message as bytes.
  template <class M>
  [[nodiscard]] Letter seal(M message, Letter const& question) {
    require(phase_ == detail::SealPhases<A>::message, "SealedClient::seal", "the phase of the message", phase_);
    ++phase_;
    return field_bytes(fltr::seal(aggregator_, std::move(message), secret_, question, context_));
  }

 private:
  void require_different_ids() const {
    std::vector<ClientId> ids(context_.round.asked.begin(), context_.round.asked.end());
    std::ranges::sort(ids);
    if (auto const twice = std::ranges::adjacent_find(ids); twice != ids.end())
      throw RoundRefused("SealedClient: required different ids of clients, got twice the id " + number_text(*twice));
    if (!std::ranges::binary_search(ids, context_.client))
      throw RoundRefused("SealedClient: required a round that asks the client " + number_text(context_.client) +
                         ", got one without it");
  }

  A aggregator_;
  SealContext context_;
  SealSecret<A> secret_{};
  std::size_t phase_ = 0;
};

/// The message of a real client for `sealed.seal`. It is charged as part of a sum: of as many messages as the seal
/// requires, at least the client's own `fewest_reports`, on the grid of the seal. The rest is as for a message that is not
/// sealed.
template <class A, class L, ClickModel Clicks, class P, class R, class C>
[[nodiscard]] typename L::Message client_message(L const& learner, Clicks const& clicks, P const& privatizer,
                                                 R const& global, C const& client, SealedClient<A> const& sealed,
                                                 State<L>& state, ClientKey& key, ClientAccount& account) {
  static_assert(SealProtocol<A>,
                "fltr: a seal without exchanges (IdealSum) hides nothing from a server: the message of a real client "
                "needs SecureSum, or none and the price of a message that is not sealed");
  RoundRelease const seen = sealed.release();
  require(client.interactions == seen.interactions, "client_message", "the interactions of the SealContext",
          client.interactions);
  auto release = detail::worst_release<typename L::Message>(account.limits(), global, client.interactions, seen.asked);
  release.reported = seen.reported;
  release.rejected = seen.asked - std::min(seen.reported, seen.asked);
  release.view = seen.view;
  release.altered = seen.altered;
  release.sum_step = seen.sum_step;
  release.sum_clamps = seen.sum_clamps;
  release.partial_sums = seen.partial_sums;
  RoundInfo const info{
      .number = sealed.id().round, .participants = seen.asked, .run = sealed.id().run, .attempt = sealed.id().attempt};
  return detail::charged_message(learner, clicks, privatizer, global, client, info, state, key, account, release);
}

}  // namespace fltr
