#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/query_set.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/paired_proportions.hpp>
#include <fltr/metrics/ranker_distance.hpp>
#include <fltr/unlearners/detail/distinguisher.hpp>

/// What can be said about unlearned models without a disruptive check (thesis of Wang 2024, section 7.4.4). The
/// functions compare models that somebody trained; federation/poisoning_check.hpp and federation/leak_test.hpp train
/// them.
namespace fltr {

/// How far unlearned models are from retrained ones, and how far retrained models are from each other.
struct DistanceToRetraining {
  RankerDistance unlearned;                   ///< of an unlearned model from a retrained one of another seed
  std::optional<RankerDistance> retrained{};  ///< of two retrained models of different seeds: the yardstick
};

/// Means over pairs of different seeds, for the unlearned models (`unlearned[s]` with `retrained[t]`) and for the
/// yardstick (`retrained[s]` with `retrained[t]`) alike. Models of one seed share random numbers and would be too
/// close. With a single seed there is no yardstick, and the distance is that of its two models.
template <ParametricRanker R, QuerySet S>
[[nodiscard]] DistanceToRetraining distance_to_retraining(std::span<R const> unlearned, std::span<R const> retrained,
                                                          S const& queries, Ndcg const& ndcg = {.cutoff = 10}) {
  std::size_t const seeds = retrained.size();
  require(seeds > 0, "distance_to_retraining", "at least one retrained model", seeds);
  require(unlearned.size() == seeds, "distance_to_retraining",
          "as many unlearned models as retrained ones, " + std::to_string(seeds), unlearned.size());
  DistanceToRetraining out;
  if (seeds == 1) {
    out.unlearned = ranker_distance(unlearned[0], retrained[0], queries, ndcg);
    return out;
  }
  out.retrained.emplace();
  double const share = 1.0 / static_cast<double>(seeds * (seeds - 1));
  for (std::size_t s = 0; s < seeds; ++s)
    for (std::size_t t = 0; t < seeds; ++t) {
      if (s == t) continue;
      out.unlearned.add(ranker_distance(unlearned[s], retrained[t], queries, ndcg), share);
      out.retrained->add(ranker_distance(retrained[s], retrained[t], queries, ndcg), share);
    }
  return out;
}

/// How well somebody can tell which of two data sets the forgotten client held.
struct Leak {
  double advantage = 0;         ///< P(says second | second) − P(says second | first); 0: a guess, 1: always right
  double low = 0;               ///< 95 % confidence interval, see paired_proportions
  double high = 0;              ///<
  std::uint64_t pairs = 0;      ///< that were counted
  std::uint64_t identical = 0;  ///< counted pairs whose two models have the same bits: nobody can tell them apart
};

/// The leak test. A pair is two models that were trained with one seed: in the first world the forgotten client held
/// one candidate data set, in the second world the other one. `first[p]` and `second[p]` are pair p, as weights.
///
/// The observer knows both data sets, the method and the data of all other clients, and has trained the first
/// `choosing` pairs itself. It does not know the random numbers of the model that it sees. It takes the best of 12
/// distinguishers (ridge regression on the weights, on their direction, or on their length, with four penalties): each
/// is trained on the first half of the choosing pairs and measured on the second half, and the best one is trained on
/// all of them. The remaining pairs are counted: no distinguisher has seen them.
template <class = void>
[[nodiscard]] Leak leak_advantage(std::span<std::vector<float> const> first, std::span<std::vector<float> const> second,
                                  std::size_t choosing) {
  constexpr char const* who = "leak_advantage";
  require(first.size() == second.size(), who, "as many second models as first ones, " + std::to_string(first.size()),
          second.size());
  require(choosing >= 2 && choosing < first.size(), who,
          "at least 2 pairs to choose by, and one more to count, of " + std::to_string(first.size()), choosing);
  for (std::size_t p = 0; p < first.size(); ++p)
    require(first[p].size() == first[0].size() && second[p].size() == first[0].size(), who, "models of one size", p);

  auto const wins_and_losses = [&](detail::Distinguisher const& rule, std::size_t from, std::size_t to) {
    std::pair<std::uint64_t, std::uint64_t> count{0, 0};
    for (std::size_t p = from; p < to; ++p) {
      bool const in_second = rule.is_second(second[p]);
      bool const in_first = rule.is_second(first[p]);
      count.first += in_second && !in_first ? 1U : 0U;
      count.second += in_first && !in_second ? 1U : 0U;
    }
    return count;
  };

  using detail::ModelView;
  std::pair best{ModelView::weights, 1.0};
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (ModelView const view : {ModelView::weights, ModelView::direction, ModelView::length})
    for (double const ridge : {1.0, 0.1, 10.0, 0.01}) {
      detail::Distinguisher const rule(first.first(choosing / 2), second.first(choosing / 2), view, ridge);
      auto const [wins, losses] = wins_and_losses(rule, choosing / 2, choosing);
      auto const lead = static_cast<std::int64_t>(wins) - static_cast<std::int64_t>(losses);
      if (lead <= most) continue;
      most = lead;
      best = {view, ridge};
    }

  detail::Distinguisher const rule(first.first(choosing), second.first(choosing), best.first, best.second);
  auto const [wins, losses] = wins_and_losses(rule, choosing, first.size());
  std::uint64_t const pairs = first.size() - choosing;
  auto const [advantage, low, high] = paired_proportions(wins, losses, pairs);
  Leak leak{advantage, low, high, pairs, 0};
  auto const bits = [](float weight) { return std::bit_cast<std::uint32_t>(weight); };
  for (std::size_t p = choosing; p < first.size(); ++p)
    leak.identical += std::ranges::equal(first[p], second[p], {}, bits, bits) ? 1U : 0U;
  return leak;
}

}  // namespace fltr
