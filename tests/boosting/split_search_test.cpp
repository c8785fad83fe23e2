#include <fltr/boosting/detail/split_search.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>

#include "support/catch.hpp"

namespace {

using fltr::TreeOptions;
using fltr::detail::FixedGradients;
using fltr::detail::GradientSum;
using fltr::detail::Split;
using fltr::detail::SplitSearch;

/// Documents with their bin of the only column. Gradients and hessians are multiples of 1/64, exact in fixed point.
struct Leaf {
  std::vector<std::size_t> bins;
  std::vector<float> gradients, hessians;
};
Leaf random_leaf(fltr::Stream& stream, std::size_t documents, std::uint32_t bins) {
  Leaf leaf;
  for (std::size_t i = 0; i < documents; ++i) {
    leaf.bins.push_back(stream.below(bins));
    leaf.gradients.push_back((static_cast<float>(stream.below(129)) - 64.0F) / 64.0F);
    leaf.hessians.push_back(static_cast<float>(stream.below(65)) / 64.0F);
  }
  return leaf;
}

struct Side {
  double gradient = 0, hessian = 0;
  std::size_t count = 0;
};

/// The gain of the split after each bin, by definition; std::nullopt where it is not allowed.
std::vector<std::optional<double>> gains_of(Leaf const& leaf, std::size_t bins, TreeOptions const& o) {
  std::vector<std::optional<double>> gains(bins);
  for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
    Side sides[2];
    for (std::size_t i = 0; i < leaf.bins.size(); ++i) {
      Side& side = sides[leaf.bins[i] <= bin ? 0 : 1];
      side.gradient += static_cast<double>(leaf.gradients[i]);
      side.hessian += static_cast<double>(leaf.hessians[i]);
      ++side.count;
    }
    bool allowed = true;
    for (Side const& side : sides)
      allowed = allowed && side.count >= std::max<std::size_t>(1, o.min_data) && side.hessian >= o.min_hessian &&
                side.hessian + o.l2 > 0;
    auto const part = [&](double g, double h) { return g * g / (h + o.l2); };
    if (allowed)
      gains[bin] = part(sides[0].gradient, sides[0].hessian) + part(sides[1].gradient, sides[1].hessian) -
                   part(sides[0].gradient + sides[1].gradient, sides[0].hessian + sides[1].hessian);
  }
  return gains;
}

}  // namespace

TEST_CASE("SplitSearch finds the best of all allowed splits") {
  fltr::Stream stream(1);
  int found = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::uint32_t const bins = 2 + stream.below(trial % 2 == 0 ? 6 : 255);
    Leaf const leaf = random_leaf(stream, 1 + stream.below(60), bins);
    TreeOptions const options{.min_data = stream.below(12),
                              .min_hessian = static_cast<double>(stream.below(8)) / 4,
                              .l2 = static_cast<double>(stream.below(3)),
                              .min_gain = static_cast<double>(stream.below(3)) / 2};
    FixedGradients fixed(leaf.bins.size());
    fixed.assign(fltr::Serial{}, leaf.gradients, leaf.hessians, 1.0F, 1.0F);
    std::vector<GradientSum> histogram(256);
    GradientSum total;
    for (std::size_t i = 0; i < leaf.bins.size(); ++i) {
      histogram[leaf.bins[i]] += fixed[i];
      total += fixed[i];
    }
    Split const split = SplitSearch(options, fixed)(histogram, bins, total, 7);
    auto const gains = gains_of(leaf, bins, options);
    double best = 0;
    for (auto const& gain : gains) best = std::max(best, gain.value_or(0));
    CAPTURE(trial, bins, options.min_data, options.min_hessian, options.l2);
    if (best > options.min_gain + 1e-9) {
      ++found;
      REQUIRE(split.gain == Approx(best).epsilon(1e-9));
      REQUIRE(split.column == 7);
      REQUIRE(gains[split.bin].has_value());
      CHECK(*gains[split.bin] == Approx(best).epsilon(1e-9));
      GradientSum left;
      for (std::size_t i = 0; i < leaf.bins.size(); ++i)
        if (leaf.bins[i] <= split.bin) left += fixed[i];
      CHECK(split.left == left);
    } else if (best < options.min_gain - 1e-9 || best == 0) {
      CHECK(split.gain == 0);
    }
  }
  CHECK(found > 100);
}

TEST_CASE("SplitSearch takes the first of equal splits") {
  // Bins 1 and 2 are empty: splits after bin 0, 1 or 2 are equal.
  FixedGradients fixed(2);
  fixed.assign(fltr::Serial{}, std::vector<float>{-1, 1}, std::vector<float>{1, 1}, 1.0F, 1.0F);
  std::vector<GradientSum> histogram(256);
  histogram[0] = fixed[0];
  histogram[3] = fixed[1];
  TreeOptions const options{.min_data = 1};
  GradientSum total = fixed[0];
  total += fixed[1];
  SplitSearch const search(options, fixed);
  auto const split = search(histogram, 4, total, 0);
  CHECK(split.bin == 0);
  CHECK(split.gain == Approx(2.0));

  Split best = split;
  best.merge({.gain = split.gain, .column = 5});
  CHECK(best.column == 0);
  best.merge({.gain = 3.0, .column = 5});
  CHECK(best.column == 5);
}

TEST_CASE("SplitSearch: the value of a leaf is a Newton step") {
  FixedGradients fixed(1);
  fixed.assign(fltr::Serial{}, std::vector<float>{3}, std::vector<float>{2}, 3.0F, 2.0F);
  TreeOptions const plain{};
  TreeOptions const damped{.l2 = 4.0};
  CHECK(SplitSearch(plain, fixed).value(fixed[0]) == -1.5);
  CHECK(SplitSearch(damped, fixed).value(fixed[0]) == -0.5);
  CHECK(SplitSearch(plain, fixed).value({}) == 0.0);
}

TEST_CASE("TreeOptions out of range are errors") {
  CHECK_THROWS_AS((TreeOptions{.leaves = 0}.check()), std::invalid_argument);
  CHECK_THROWS_AS((TreeOptions{.min_hessian = -1}.check()), std::invalid_argument);
  CHECK_THROWS_AS((TreeOptions{.l2 = -1}.check()), std::invalid_argument);
  CHECK_THROWS_AS((TreeOptions{.min_gain = -1}.check()), std::invalid_argument);
}
