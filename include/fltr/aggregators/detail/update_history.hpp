#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/compact_hessian.hpp>
#include <fltr/aggregators/detail/vector_sums.hpp>
#include <fltr/data/client.hpp>

namespace fltr::detail {

/// a − b, in double.
[[nodiscard]] inline std::vector<double> difference(std::span<float const> a, std::span<float const> b) {
  std::vector<double> out(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) out[k] = static_cast<double>(a[k]) - static_cast<double>(b[k]);
  return out;
}

/// What FlDetector keeps of earlier rounds: the last message of each client, the models that were sent to the clients
/// in those rounds, and the curvature of the global training.
struct UpdateHistory {
  struct Record {
    std::uint32_t round = 0;  ///< of the last message
    std::vector<float> message{};
    std::vector<double> errors{};  ///< relative prediction errors of the last rounds, the newest last
    std::uint32_t suspicions = 0;  ///< consecutive tests in which the client was in the upper cluster
    auto fields(auto&& visit) { return visit(round, message, errors, suspicions); }
  };

  std::map<ClientId, Record> clients{};
  std::map<std::uint32_t, std::vector<float>> models{};  ///< the last round's, and those to which a Record refers
  std::vector<double> update{};                          ///< g of the last round; empty if it is not known
  std::vector<CurvaturePair> pairs{};                    ///< the oldest first

  std::uint32_t refusals = 0;  ///< consecutive tests that were refused

  auto fields(auto&& visit) { return visit(clients, models, update, pairs, refusals); }

  /// Whether all vectors have one length, and the models of all records are there.
  [[nodiscard]] bool consistent() const {
    std::size_t const size = models.empty() ? 0 : models.begin()->second.size();
    return (update.empty() || update.size() == size) &&
           std::ranges::all_of(models, [&](auto const& one) { return one.second.size() == size; }) &&
           std::ranges::all_of(pairs,
                               [&](auto const& one) { return one.step.size() == size && one.change.size() == size; }) &&
           std::ranges::all_of(clients, [&](auto const& one) {
             return one.second.message.size() == size && models.contains(one.second.round);
           });
  }

  /// ‖u' + B (w − w') − u‖, where u = w − x is the update of a message x to the model w, and u' and w' are those of the
  /// client's last message.
  [[nodiscard]] double prediction_error(Record const& last, std::span<float const> message,
                                        std::span<float const> model, std::span<double const> predicted_change) const {
    std::vector<float> const& before = models.at(last.round);
    return std::sqrt(sum_in_lanes(message.size(), [&](std::size_t k) {
      double const old_update = static_cast<double>(before[k]) - static_cast<double>(last.message[k]);
      double const new_update = static_cast<double>(model[k]) - static_cast<double>(message[k]);
      double const off = old_update + predicted_change[k] - new_update;
      return off * off;
    }));
  }

  /// Adds the curvature of the round that ends: `model` was sent to the clients, `after` is the next one.
  void add_round(std::uint32_t round, std::span<float const> model, std::span<float const> after, std::size_t window) {
    auto const now = difference(model, after);  // g
    if (!update.empty()) {
      auto step = difference(model, models.rbegin()->second);
      double const length = std::sqrt(dot(step, step));
      if (length > 0.0) {
        auto change = now;
        for (std::size_t k = 0; k < step.size(); ++k) {
          step[k] /= length;
          change[k] = (now[k] - update[k]) / length;
        }
        pairs.push_back({std::move(step), std::move(change)});
        if (pairs.size() > window) pairs.erase(pairs.begin());
      }
    }
    update = now;
    models[round].assign(model.begin(), model.end());
    forget_models();
  }

  /// Forgets the curvature and all errors: they contain the influence of clients that are dropped now.
  void start_again() {
    pairs.clear();
    update.clear();
    refusals = 0;
    for (auto& [client, record] : clients) {
      record.errors.clear();
      record.suspicions = 0;
    }
  }

 private:
  void forget_models() {
    std::set<std::uint32_t> used{models.rbegin()->first};
    for (auto const& [client, record] : clients) used.insert(record.round);
    std::erase_if(models, [&](auto const& one) { return !used.contains(one.first); });
  }
};

}  // namespace fltr::detail
