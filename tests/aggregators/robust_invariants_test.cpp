// Properties of the robust rules on 1,008 random inputs: n in {4, 7, 10, 25}, d in {1, 46, 136}, 84 inputs of each size.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/aggregators/bulyan.hpp>
#include <fltr/aggregators/centered_clipping.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/geometric_median.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/meamed.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/minimum_diameter.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

using Model = std::vector<float>;

/// Calls f(n, d, stream) 84 times for each size.
void for_each_input(std::uint64_t seed, auto f) {
  Stream random(seed);
  for (std::size_t const n : {4U, 7U, 10U, 25U})
    for (std::size_t const d : {1U, 46U, 136U})
      for (int repeat = 0; repeat < 84; ++repeat) f(n, d, random);
}

MessageRows normal_rows(std::size_t n, std::size_t d, Stream& random) {
  MessageRows rows(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (float& v : rows.row(i)) v = static_cast<float>(random.normal());
  return rows;
}

/// Row i of the result is f(row, i) of these rows, where f changes a copy.
MessageRows changed(MessageRows rows, auto f) {
  for (std::size_t i = 0; i < rows.clients(); ++i) f(rows.row(i), i);
  return rows;
}

bool same_bits(Model const& a, Model const& b) {
  return std::ranges::equal(
      a, b, [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}

/// The largest |a − b| / max(1, |b|).
double difference(Model const& a, Model const& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k)
    worst = std::max(worst, std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])) /
                                std::max(1.0, std::abs(static_cast<double>(b[k]))));
  return worst;
}

double norm(std::span<float const> v) {
  double squares = 0.0;
  for (float const x : v) squares += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(squares);
}

std::vector<std::size_t> sorted(std::vector<std::size_t> v) {
  std::ranges::sort(v);
  return v;
}

/// The largest squared distance of two of the rows.
double diameter(MessageRows const& rows, std::vector<std::size_t> const& chosen) {
  detail::RowDistances const distances(rows);
  double largest = 0.0;
  for (std::size_t const i : chosen)
    for (std::size_t const j : chosen) largest = std::max(largest, distances(i, j));
  return largest;
}

/// The other row at the smallest distance.
std::size_t nearest_to(MessageRows const& rows, std::size_t row) {
  detail::RowDistances const distances(rows);
  std::size_t best = row == 0 ? 1 : 0;
  for (std::size_t j = 0; j < rows.clients(); ++j)
    if (j != row && distances(row, j) < distances(row, best)) best = j;
  return best;
}

std::vector<double> sorted_values(std::vector<double> v) {
  std::ranges::sort(v);
  return v;
}

/// The rows of the result are those of `rows` in the order of `order`.
MessageRows reordered(MessageRows const& rows, std::vector<std::size_t> const& order) {
  MessageRows out(rows.clients(), rows.parameters());
  for (std::size_t i = 0; i < order.size(); ++i) std::ranges::copy(rows.row(order[i]), out.row(i).begin());
  return out;
}

}  // namespace

TEST_CASE("The order of the clients does not change the model") {
  for_each_input(1, [](std::size_t n, std::size_t d, Stream& random) {
    auto const rows = normal_rows(n, d, random);
    Model const global(d, 0.25F);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    auto const other = reordered(rows, order);
    std::size_t const half = random.below(static_cast<std::uint32_t>((n - 1) / 2 + 1));  // f with 2f < n

    // Sorted values and exact scores: the same bits.
    auto const exact = [&](auto const& rule) {
      CHECK(same_bits(rule.combine(rows, global), rule.combine(other, global)));
    };
    exact(Median{.malicious = half});
    exact(Median{.malicious = half, .even = EvenMedian::lower});
    exact(TrimmedMean{.malicious = half});
    exact(Meamed{.malicious = half});
    // With one neighbour the two nearest rows always tie, and the lower index wins: the order decides between these two.
    // With two or more neighbours it decides nothing.
    Krum const one_neighbour{.malicious = n - 3};
    CHECK(sorted_values(one_neighbour.scores(rows)) == sorted_values(one_neighbour.scores(other)));
    std::size_t const here = one_neighbour.select(rows).at(0);
    std::size_t const there = order[one_neighbour.select(other).at(0)];
    CHECK((here == there || here == nearest_to(rows, there)));
    std::size_t const few = std::min<std::size_t>(half, n - 4);
    exact(Krum{.malicious = few});
    // Of an even number of points on a line, the two in the middle have the same sum of distances to the others.
    if (d > 1) exact(Krum{.malicious = few, .distance = KrumDistance::euclidean});

    // Means of chosen rows are sums in the order of the rows: equal up to rounding. The same rows are chosen.
    auto const close = [&](auto const& rule) {
      CHECK(difference(rule.combine(rows, global), rule.combine(other, global)) < 1e-6);
    };
    auto const same_choice = [&](auto const& rule) {
      auto chosen = rule.select(other);
      for (auto& row : chosen) row = order[row];
      CHECK(sorted(chosen) == sorted(rule.select(rows)));
      close(rule);
    };
    same_choice(MultiKrum{.malicious = few});
    // Several subsets can have the smallest diameter. minimum_diameter_test.cpp shows that a unique one is found.
    MinimumDiameter const mda{.malicious = std::min<std::size_t>(half, 5)};
    CHECK(diameter(rows, mda.select(rows)) == diameter(other, mda.select(other)));
    close(GeometricMedian{.malicious = half});
    close(CenteredClipping{.radius = 1.0, .iterations = 3});

    // The last row that Bulyan chooses has f − 1 neighbours, at least one. With f = 1 or 2 the two nearest rows tie.
    std::size_t const quarter = (n - 1) / 4;
    same_choice(Bulyan{.malicious = std::min(few, quarter), .selection = BulyanSelection::multi_krum_once});
    exact(Bulyan{.malicious = std::min(few, quarter), .selection = BulyanSelection::multi_krum_once});
    std::size_t const many = quarter >= 3 ? 3 + random.below(static_cast<std::uint32_t>(quarter - 2)) : 0;
    same_choice(Bulyan{.malicious = many});
    exact(Bulyan{.malicious = many});
  });
}

TEST_CASE("A model moves with the clients' models, and scales with them") {
  for_each_input(2, [](std::size_t n, std::size_t d, Stream& random) {
    // Multiples of 1/1024 below 8. Sums with 4096 and products with the factors are exact in float.
    auto const grid = [](float v) { return std::round(std::clamp(v, -7.5F, 7.5F) * 1024.0F) / 1024.0F; };
    auto const rows = changed(normal_rows(n, d, random), [&](auto row, std::size_t) {
      for (float& v : row) v = grid(v);
    });
    bool const all_4096 = random.bernoulli(0.5);
    Model offset(d, 4096.0F);
    if (!all_4096)
      for (float& v : offset) v = static_cast<float>(random.below(4097)) - 2048.0F;
    float const factors[] = {0.125F, 3.0F, 1024.0F};
    float const factor = factors[random.below(3)];
    auto const moved = changed(rows, [&](auto row, std::size_t) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += offset[k];
    });
    auto const scaled = changed(rows, [&](auto row, std::size_t) {
      for (float& v : row) v *= factor;
    });
    auto const check = [&](auto const& rule) {
      auto model = rule.combine(rows, Model(d));
      auto const model_moved = rule.combine(moved, Model(d));
      auto const model_scaled = rule.combine(scaled, Model(d));
      if constexpr (requires { rule.select(rows); }) {
        CHECK(rule.select(moved) == rule.select(rows));
        CHECK(rule.select(scaled) == rule.select(rows));
      }
      auto expected = model;
      for (std::size_t k = 0; k < d; ++k) expected[k] += offset[k];
      CHECK(difference(model_moved, expected) < 1e-6);
      for (float& v : model) v *= factor;
      CHECK(difference(model_scaled, model) < 1e-6);
    };
    std::size_t const half = random.below(static_cast<std::uint32_t>((n - 1) / 2 + 1));
    check(Krum{.malicious = std::min(half, n - 3)});
    check(MultiKrum{.malicious = std::min(half, n - 3)});
    check(TrimmedMean{.malicious = half});
    check(Median{.malicious = half});
    check(GeometricMedian{.malicious = half});
    check(Bulyan{.malicious = std::min(half, (n - 1) / 4)});
    check(Meamed{.malicious = half});
    check(MinimumDiameter{.malicious = std::min<std::size_t>(half, 5)});
  });
}

TEST_CASE("Equal models give this model") {
  for_each_input(3, [](std::size_t n, std::size_t d, Stream& random) {
    auto const one = normal_rows(1, d, random);
    auto const rows =
        changed(MessageRows(n, d), [&](auto row, std::size_t) { std::ranges::copy(one.row(0), row.begin()); });
    Model const expected(one.row(0).begin(), one.row(0).end());
    Model const global(d);
    auto const check = [&](auto const& rule) { CHECK(same_bits(rule.combine(rows, global), expected)); };
    std::size_t const half = (n - 1) / 2;
    check(Krum{.malicious = std::min(half, n - 3)});
    check(MultiKrum{.malicious = std::min(half, n - 3)});
    check(TrimmedMean{.malicious = half});
    check(Median{.malicious = half});
    check(GeometricMedian{.malicious = half});
    check(Bulyan{.malicious = (n - 1) / 4});
    check(MinimumDiameter{.malicious = half});
    check(Meamed{.malicious = half});
    CHECK(difference(CenteredClipping{.radius = 100.0}.combine(rows, global), expected) < 1e-6);
    CHECK(CenteredClipping{}.combine(rows, expected) == expected);
    CHECK(Krum{.malicious = 0}.select(rows) == std::vector<std::size_t>{0});
  });
}

TEST_CASE("As many malicious clients as a rule withstands send 1e12") {
  for_each_input(4, [](std::size_t n, std::size_t d, Stream& random) {
    auto const honest = normal_rows(n, d, random);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    bool const signs = random.bernoulli(0.5);
    /// The clients order[0], …, order[f − 1] are malicious.
    auto const attacked = [&](std::size_t f) {
      auto rows = honest;
      for (std::size_t m = 0; m < f; ++m)
        for (float& v : rows.row(order[m])) v = signs && random.bernoulli(0.5) ? -1e12F : 1e12F;
      return rows;
    };
    auto const honest_rows = [&](std::size_t f) {
      return sorted({order.begin() + static_cast<std::ptrdiff_t>(f), order.end()});
    };
    auto const in_range = [&](Model const& model, std::size_t f) {
      bool inside = true;
      for (std::size_t k = 0; k < d; ++k) {
        float low = std::numeric_limits<float>::max();
        float high = -low;
        for (std::size_t const i : honest_rows(f)) {
          low = std::min(low, honest.row(i)[k]);
          high = std::max(high, honest.row(i)[k]);
        }
        inside = inside && model[k] >= low && model[k] <= high;
      }
      return inside;
    };

    std::size_t const krum = (n - 3) / 2;  // n ≥ 2f + 3
    auto const krum_rows = attacked(krum);
    Krum const rule{.malicious = krum, .strict = true};
    auto const chosen = rule.select(krum_rows).at(0);
    auto const honest_of_krum = honest_rows(krum);
    CHECK(std::ranges::binary_search(honest_of_krum, chosen));
    CHECK(std::ranges::equal(rule.combine(krum_rows, Model(d)), honest.row(chosen)));

    // The mean of honest models is in their convex hull.
    MultiKrum const multi{.malicious = krum, .strict = true};
    CHECK(multi.select(krum_rows) == honest_rows(krum));
    CHECK(in_range(multi.combine(krum_rows, Model(d)), krum));

    std::size_t const half = (n - 1) / 2;  // 2f < n
    auto const half_rows = attacked(half);
    CHECK(in_range(Median{.malicious = half}.combine(half_rows, Model(d)), half));
    CHECK(in_range(TrimmedMean{.malicious = half}.combine(half_rows, Model(d)), half));
    CHECK(in_range(Meamed{.malicious = half, .strict = true}.combine(half_rows, Model(d)), half));
    CHECK(MinimumDiameter{.malicious = half, .strict = true}.select(half_rows) == honest_rows(half));

    double largest = 0.0;
    for (std::size_t const i : honest_rows(half)) largest = std::max(largest, norm(honest.row(i)));
    double const bound = 2.0 * static_cast<double>(n - half) / static_cast<double>(n - 2 * half) * largest;
    CHECK(norm(GeometricMedian{.malicious = half, .strict = true}.combine(half_rows, Model(d))) <= bound);

    std::size_t const bulyan = (n - 3) / 4;  // n ≥ 4f + 3
    auto const bulyan_rows = attacked(bulyan);
    CHECK(in_range(Bulyan{.malicious = bulyan, .strict = true}.combine(bulyan_rows, Model(d)), bulyan));

    for (std::size_t const iterations : {1U, 3U}) {
      CenteredClipping const clipping{.radius = 0.5, .iterations = iterations};
      Model const global(d, 0.25F);
      auto moved = clipping.combine(half_rows, global);
      for (std::size_t k = 0; k < d; ++k) moved[k] -= global[k];
      CHECK(norm(moved) <= 0.5 * static_cast<double>(iterations) * (1.0 + 1e-6));
    }
  });
}
