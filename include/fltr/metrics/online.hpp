#pragma once

#include <cmath>
#include <cstdint>

#include <fltr/core/error.hpp>

namespace fltr {

/// What the discount of the online measure counts.
enum class OnlineTime : std::uint8_t {
  rounds,   ///< Σ_t γ^t · (mean over the lists of round t), t from 0: what the published tables hold
  queries,  ///< FPDGD eq. 17 as it reads: every shown list one step later than the one before
};

/// Discounted online performance: what users experienced while the model learned. The lists of a round are shown at the
/// same time, so within a round each counts with the round's mean.
class OnlineMeasure {
 public:
  explicit OnlineMeasure(double discount = 0.9995, OnlineTime time = OnlineTime::rounds)
      : discount_(discount), time_(time) {
    require(discount > 0.0 && discount <= 1.0, "OnlineMeasure", "a discount in (0, 1]", discount);
  }

  /// A round in which `lists` lists were shown, of this quality on average.
  void add(double mean, std::uint64_t lists) {
    if (time_ == OnlineTime::rounds) {
      value_ += factor_ * mean;
      factor_ *= discount_;
      return;
    }
    double const steps = static_cast<double>(lists);
    double const after = std::pow(discount_, steps);
    double const weight = discount_ < 1.0 ? (1.0 - after) / (1.0 - discount_) : steps;  // 1 + γ + … + γ^(lists − 1)
    value_ += factor_ * weight * mean;
    factor_ *= after;
  }

  [[nodiscard]] double value() const noexcept { return value_; }

 private:
  double discount_;
  OnlineTime time_;
  double factor_ = 1.0;
  double value_ = 0.0;
};

}  // namespace fltr
