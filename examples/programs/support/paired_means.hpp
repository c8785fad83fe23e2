#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fltr/metrics/paired_test.hpp>

namespace fltr::examples {

/// Pairs of values by a key of two numbers. Values with equal keys are averaged before the test, so that repeated
/// measurements of one unit count once.
class PairedMeans {
 public:
  using Key = std::pair<std::size_t, std::size_t>;

  void add(Key key, double a, double b);
  /// Student's paired t-test of the mean of a − b over the keys; none for fewer than two keys.
  [[nodiscard]] std::optional<PairedTest> test() const;

 private:
  struct Sums {
    double a = 0;
    double b = 0;
    double count = 0;
  };
  std::map<Key, Sums> sums_;
};

/// The share of clients whose cluster has their own intent as its most frequent intent (ties: the lowest number). Client i has
/// intent i modulo `intents`. One cluster for all: 1 / intents. Splitting an intent over two clusters costs nothing.
[[nodiscard]] double cluster_purity(std::span<std::uint32_t const> cluster_of, std::size_t intents);

}  // namespace fltr::examples
