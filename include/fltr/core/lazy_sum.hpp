#pragma once

#include <optional>
#include <utility>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// A sum that is made when its first message arrives. In a round with few participants, most blocks of clients have no
/// message and make no sum.
template <class Sum>
struct LazySum {
  std::optional<Sum> sum;

  /// Adds a message. make() returns an empty Sum.
  template <class M, class Make>
  void add(M const& message, Make const& make) {
    if (!sum) sum.emplace(make());
    sum->add(message);
  }
  void merge(LazySum&& other) {
    if (!other.sum) return;
    if (sum)
      sum->merge(std::move(*other.sum));
    else
      sum = std::move(other.sum);
  }
  auto fields(auto&& visit) { return visit(sum); }
};

}  // namespace fltr
