#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// Several models of one type, one per cluster of clients: the global ranker of Clustered. A client uses one of them
/// (`training.ranker_of(i)`). Used directly, it scores by the mean of the models' scores.
///
/// **Start**: each model is drawn by its own `initialize`, one after the other from the same stream. If all models are
/// equal then (a linear ranker of zeros, a model that was trained before), each gets a random direction of norm
/// `spread`. Models that differ are not changed: they were trained. One model alone starts like R itself.
template <ParametricRanker R>
class ClusteredRanker {
 public:
  using Model = R;

  ClusteredRanker() = default;
  /// `clusters` copies of a start model.
  ClusteredRanker(R model, std::size_t clusters, double spread = 0.01) : models_(clusters, model), spread_(spread) {
    require(clusters > 0, "ClusteredRanker", "at least one cluster", clusters);
    require(std::isfinite(spread) && spread >= 0.0, "ClusteredRanker", "a finite spread >= 0", spread);
  }

  /// The number of clusters.
  [[nodiscard]] std::size_t size() const noexcept { return models_.size(); }
  /// The model of a cluster.
  [[nodiscard]] R const& model(std::size_t cluster) const& { return models_[cluster]; }
  [[nodiscard]] R& model(std::size_t cluster) & { return models_[cluster]; }
  [[nodiscard]] R model(std::size_t cluster) const&& { return models_[cluster]; }

  /// The mean of the models' scores.
  void score(QueryView query, std::span<float> scores) const {
    if (models_.size() == 1) return models_.front().score(query, scores);
    std::vector<double> sums(scores.size());
    for (R const& one : models_) {
      one.score(query, scores);
      for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += static_cast<double>(scores[d]);
    }
    for (std::size_t d = 0; d < sums.size(); ++d)
      scores[d] = static_cast<float>(sums[d] / static_cast<double>(models_.size()));
  }

  void initialize(Stream& stream) {
    if constexpr (composition::NamesHook_initialize<R>)
      for (R& one : models_) one.initialize(stream);
    auto const first = std::as_const(models_.front()).parameters();
    bool const equal =
        std::ranges::all_of(models_, [&](R const& one) { return std::ranges::equal(one.parameters(), first); });
    if (models_.size() == 1 || !equal) return;
    for (R& one : models_) move_apart(one.parameters(), stream);
  }

  /// Fewer clients than models would leave models that nobody trains.
  [[nodiscard]] std::size_t minimum_clients() const noexcept { return models_.size(); }

  /// Whether the other ranker has as many models, of the same size.
  [[nodiscard]] bool same_shape(ClusteredRanker const& other) const {
    return models_.size() == other.models_.size() && std::ranges::equal(models_, other.models_, {}, size_of, size_of);
  }

  auto fields(auto&& visit)
  requires HasFields<R>
  {
    return visit(models_);
  }
  [[nodiscard]] bool consistent() const {
    return !models_.empty() && std::ranges::all_of(models_, [](R const& one) {
      if constexpr (requires { one.consistent(); })
        return one.consistent();
      else
        return true;
    });
  }

 private:
  static constexpr auto size_of = [](R const& one) { return one.parameters().size(); };

  /// Adds a random direction of norm `spread_`.
  void move_apart(std::span<float> weights, Stream& stream) const {
    std::vector<double> direction(weights.size());
    double squares = 0.0;
    for (double& x : direction) {
      x = stream.normal();
      squares += x * x;
    }
    double const scale = squares > 0.0 ? spread_ / std::sqrt(squares) : 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += static_cast<float>(scale * direction[k]);
  }

  std::vector<R> models_;
  double spread_ = 0.01;
};

}  // namespace fltr
