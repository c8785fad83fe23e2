#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// The sums of the gradients and hessians of a set of documents, and the number of documents, in fixed point (see
/// FixedGradients). Integer sums are exact: the result does not depend on the order of the additions or the number of
/// threads, and a difference of two sums is exactly the sum of the remaining documents.
struct alignas(16) GradientSum {
  std::int64_t gradient = 0;
  std::int64_t weight = 0;  ///< the sum of hessians; the lowest bits hold the number of documents

  GradientSum& operator+=(GradientSum const& other) noexcept {
    gradient += other.gradient;
    weight += other.weight;
    return *this;
  }
  GradientSum& operator-=(GradientSum const& other) noexcept {
    gradient -= other.gradient;
    weight -= other.weight;
    return *this;
  }
  friend GradientSum operator-(GradientSum a, GradientSum const& b) noexcept { return a -= b; }
  friend bool operator==(GradientSum const&, GradientSum const&) = default;
};

}  // namespace fltr::detail
