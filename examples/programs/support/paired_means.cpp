#include "paired_means.hpp"

#include <algorithm>
#include <vector>

#include <fltr/metrics/significance.hpp>

namespace fltr::examples {

void PairedMeans::add(Key key, double a, double b) {
  Sums& sums = sums_[key];
  sums.a += a;
  sums.b += b;
  ++sums.count;
}

std::optional<PairedTest> PairedMeans::test() const {
  if (sums_.size() < 2) return std::nullopt;
  std::vector<double> a;
  std::vector<double> b;
  for (auto const& [key, sums] : sums_) {
    a.push_back(sums.a / sums.count);
    b.push_back(sums.b / sums.count);
  }
  return paired_t_test(a, b);
}

double cluster_purity(std::span<std::uint32_t const> cluster_of, std::size_t intents) {
  if (cluster_of.empty()) return 0;
  std::map<std::uint32_t, std::vector<std::size_t>> counts;  // by cluster: clients of each intent
  for (std::size_t i = 0; i < cluster_of.size(); ++i) {
    auto& of_cluster = counts[cluster_of[i]];
    of_cluster.resize(intents);
    ++of_cluster[i % intents];
  }
  std::size_t right = 0;
  for (auto const& [cluster, of_intent] : counts) right += *std::ranges::max_element(of_intent);
  return static_cast<double>(right) / static_cast<double>(cluster_of.size());
}

}  // namespace fltr::examples
