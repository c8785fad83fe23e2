#include "support/paired_means.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using fltr::examples::cluster_purity;
using fltr::examples::PairedMeans;

TEST_CASE("PairedMeans: values of one key are averaged, and keys count once") {
  PairedMeans pairs;
  REQUIRE(!pairs.test());
  for (int repeat = 0; repeat < 100; ++repeat) pairs.add({1, 0}, 3.0, 1.0);  // mean difference 2
  REQUIRE(!pairs.test());
  pairs.add({1, 1}, 1.0, 1.0);
  pairs.add({2, 0}, 5.0, 4.0);
  auto const test = pairs.test();
  REQUIRE(test);
  REQUIRE(test->pairs == 3);
  // The differences are 2, 0 and 1: mean 1, standard deviation 1, t = sqrt(3). With 2 degrees of freedom p = 0.2254.
  REQUIRE(test->difference == Approx(1.0));
  REQUIRE(test->t == Approx(1.7320508));
  REQUIRE(test->p == Approx(0.2254033));
}

TEST_CASE("cluster_purity: the share of clients in a cluster whose most frequent intent is their own") {
  using Clusters = std::vector<std::uint32_t>;
  REQUIRE(cluster_purity(Clusters{0, 1, 0, 1}, 2) == 1.0);  // intents 0 1 0 1
  REQUIRE(cluster_purity(Clusters{1, 0, 1, 0}, 2) == 1.0);  // the numbers of clusters have no meaning
  REQUIRE(cluster_purity(Clusters{0, 1, 2, 3}, 2) == 1.0);  // an intent may have two clusters
  REQUIRE(cluster_purity(Clusters{0, 0, 0, 0}, 2) == 0.5);  // one cluster for all
  REQUIRE(cluster_purity(Clusters{0, 0, 0, 0, 0, 0}, 3) == Approx(1.0 / 3));
  REQUIRE(cluster_purity(Clusters{0, 0, 0, 1, 1, 1}, 3) == Approx(2.0 / 6));  // intents 0 1 2 0 1 2
  REQUIRE(cluster_purity(Clusters{0, 1, 1, 0, 1, 1}, 3) == Approx(4.0 / 6));
}
