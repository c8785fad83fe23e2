#pragma once

#include <cstdint>

#include <fltr/core/error.hpp>
#include <fltr/core/power.hpp>

namespace fltr {

/// The time that the discount of the online measure counts.
enum class OnlineTime : std::uint8_t {
  rounds,   ///< Σ_t γ^t · (mean over the lists of round t), t from 0: the published tables
  queries,  ///< FPDGD eq. 17 as written: every displayed list is one step later than the list before it
};

/// Discounted online performance: the quality of the lists that users saw during training. The lists of a round are
/// displayed at the same time, so each list counts with the mean of its round.
class OnlineMeasure {
 public:
  static constexpr double default_discount = 0.9995;  ///< γ of the papers

  explicit OnlineMeasure(double discount = default_discount, OnlineTime time = OnlineTime::rounds)
      : discount_(discount), time_(time) {
    require(discount > 0.0 && discount <= 1.0, "OnlineMeasure", "a discount in (0, 1]", discount);
  }

  /// Adds a round in which `lists` lists were displayed, with their mean quality. A round without lists has mean 0 and
  /// advances the discount.
  void add(double mean, std::uint64_t lists) {
    if (time_ == OnlineTime::rounds) {
      value_ += factor_ * mean;
      factor_ *= discount_;
      return;
    }
    double const steps = static_cast<double>(lists);
    double const after = math::pow(discount_, steps);
    double const weight = discount_ < 1.0 ? (1.0 - after) / (1.0 - discount_) : steps;  // 1 + γ + … + γ^(lists − 1)
    value_ += factor_ * weight * mean;
    factor_ *= after;
  }

  /// The discounted sum over all rounds so far.
  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double discount_;
  OnlineTime time_;
  double factor_ = 1.0;
  double value_ = 0.0;
};

}  // namespace fltr
