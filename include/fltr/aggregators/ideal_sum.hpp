#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <fltr/aggregators/detail/word_sum.hpp>
#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealable.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// The sum that SecureSum<A> computes, without the protocol: each client rounds the vector of its message to whole
/// steps, and the server adds these numbers. **It hides nothing.** It is for simulations: model and privacy loss have
/// the bits of SecureSum<A> with the same FixedPoint, and a round takes as long as without a seal. The ledger counts its
/// messages as sealed.
template <class A, std::unsigned_integral Word = std::uint64_t>
struct IdealSum {
  static_assert(composition::NamesContribution<A>,
                "fltr: IdealSum needs an aggregator that uses nothing but a sum of vectors (see Sealable): FedAvg, "
                "FedOpt or EsGradient. A robust rule such as Krum reads single messages");

  using Wire = detail::SealedWords<IdealSum, Word>;
  using Sum = detail::WordSum<Wire, Word>;
  using State = fltr::State<A>;

  A aggregator{};
  FixedPoint grid{};

  template <class M>
  [[nodiscard]] Wire seal(M const& message, SealContext const& context) const {
    static_assert(Sealable<A, M>, "fltr: the aggregator within IdealSum cannot make a sum of this Message");
    return {detail::contribution_words<Word>("IdealSum", aggregator, grid, message, context.round)};
  }
  [[nodiscard]] bool accepts(Wire const& wire, auto const&, ClientId, SealRound const& round) const {
    return wire.words.size() == round.broadcast.size() + 1;
  }
  [[nodiscard]] bool open(Sum const& sum, auto const&, SealRound const& round) const {
    return !sum.damaged && sum.total.size() == round.broadcast.size() + 1;
  }

  [[nodiscard]] FixedPoint sum_grid() const { return grid; }
  [[nodiscard]] Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const& sum, ParametricRanker auto& ranker, State& state) const {
    std::span<float const> const broadcast = shared_parameters(ranker);
    auto restored = aggregator.restored(grid.sum(std::span<Word const>(sum.total), sum.count), broadcast);
    fltr::aggregate(aggregator, std::move(restored), ranker, state);
  }
};

}  // namespace fltr
