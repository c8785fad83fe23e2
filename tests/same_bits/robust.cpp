// same bits: 224cc8b22ecaf086
// optimisations: -O2
//
// The robust rules on random messages. The bits do not depend on -ffp-contract.
#include <fltr/aggregators/bulyan.hpp>
#include <fltr/aggregators/centered_clipping.hpp>
#include <fltr/aggregators/geometric_median.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/meamed.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/minimum_diameter.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/core/random.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include "probe.hpp"

int main() {
  using namespace fltr;
  struct Size {
    std::size_t clients, parameters, malicious;
  };
  Probe probe;
  Stream stream(1);
  for (auto const [n, d, f] : {Size{7, 1, 1}, Size{10, 46, 2}, Size{10, 46, 2}, Size{25, 200, 5}, Size{100, 33, 12}}) {
    MessageRows rows(n, d);
    for (std::size_t i = 0; i < n; ++i)
      for (float& v : rows.row(i)) v = static_cast<float>(stream.uniform() - 0.5);
    std::vector<float> const global(d, 0.125F);
    auto const add = [&](auto const& rule) {
      for (float const v : rule.combine(rows, global)) probe.add(v);
    };
    for (auto const distance : {KrumDistance::squared, KrumDistance::euclidean, KrumDistance::fourth_power}) {
      Krum const krum{.malicious = f, .distance = distance};
      for (double const score : krum.scores(rows)) probe.add(score);
      add(krum);
      add(MultiKrum{.malicious = f, .distance = distance});
    }
    probe.part("Krum and MultiKrum");
    add(Median{.malicious = f});
    add(TrimmedMean{.malicious = f});
    add(Meamed{.malicious = f});
    probe.part("Median, TrimmedMean and Meamed");
    add(Bulyan{.malicious = f});
    add(Bulyan{.malicious = f, .selection = BulyanSelection::multi_krum_once});
    add(MinimumDiameter{.malicious = f});
    probe.part("Bulyan and MinimumDiameter");
    add(CenteredClipping{.radius = 1.0, .iterations = 3});
    add(GeometricMedian{.malicious = f});
    add(GeometricMedian{.malicious = f, .smoothing = 0.1, .iterations = 3, .start = GeometricMedianStart::mean});
    probe.part("CenteredClipping and GeometricMedian");
  }
  probe.print();
}
