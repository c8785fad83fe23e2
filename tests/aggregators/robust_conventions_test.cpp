// The options of the robust rules, with values worked out by hand; preconditions; what a round reports.
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

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
#include <fltr/messages/local_weights.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using Model = std::vector<float>;
using Rows = std::vector<std::size_t>;
using Scores = std::vector<double>;

MessageRows rows_of(std::initializer_list<std::initializer_list<float>> values) {
  MessageRows rows(values.size(), values.begin()->size());
  std::size_t i = 0;
  for (auto const& row : values) std::ranges::copy(row, rows.row(i++).begin());
  return rows;
}

/// Rows of one parameter.
MessageRows points(std::initializer_list<float> values) {
  MessageRows rows(values.size(), 1);
  std::size_t i = 0;
  for (float const value : values) rows.row(i++)[0] = value;
  return rows;
}

/// The rule needs `least` rows, and `guaranteed` with .strict; with one row less combine throws TooFewMessages. If
/// `proven`, it has its guarantee from `guaranteed` rows on, otherwise never.
template <class Rule>
void check_minimum(Rule rule, std::size_t least, std::size_t guaranteed, bool proven = true) {
  auto const check = [&](std::size_t required) {
    CHECK(rule.minimum_messages() == required);
    CHECK(rule.combine(MessageRows(required, 2), Model(2)) == Model(2));
    try {
      (void)rule.combine(MessageRows(required - 1, 2), Model(2));
      FAIL("combine did not throw");
    } catch (TooFewMessages const& error) {
      CHECK(error.required() == required);
      CHECK(error.got() == required - 1);
    }
  };
  check(least);
  CHECK(rule.guaranteed(guaranteed) == proven);
  CHECK(rule.guaranteed(1000) == proven);
  CHECK_FALSE(rule.guaranteed(guaranteed - 1));
  if constexpr (requires { rule.strict; }) {
    rule.strict = true;
    check(guaranteed);
  }
}

}  // namespace

TEST_CASE("Mean, median and trimmed mean of three rows") {
  auto const rows = rows_of({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  Model const expected{4, 5, 6};
  CHECK(MultiKrum{.malicious = 0}.combine(rows, {}) == expected);
  CHECK(Median{.malicious = 1}.combine(rows, {}) == expected);
  CHECK(TrimmedMean{.malicious = 1}.combine(rows, {}) == expected);
  CHECK(TrimmedMean{.malicious = 0}.combine(rows, {}) == expected);
}

TEST_CASE("Krum's neighbours and distances") {
  using enum KrumNeighbours;
  CHECK(krum_neighbours(published, 10, 3) == 5);
  CHECK(krum_neighbours(at_least_one, 10, 3) == 5);
  CHECK(krum_neighbours(other_honest, 10, 3) == 6);
  CHECK(krum_neighbours(honest, 10, 3) == 7);
  CHECK(krum_neighbours(with_itself, 10, 3) == 4);
  CHECK(krum_neighbours(published, 5, 3) == 0);
  CHECK(krum_neighbours(at_least_one, 5, 3) == 1);
  CHECK(krum_neighbours(honest, 10, 0) == 9);

  auto const rows = points({0, 1, 3, 7});
  auto const scores = [&](std::size_t f, KrumNeighbours neighbours, KrumDistance distance) {
    return Krum{.malicious = f, .neighbours = neighbours, .distance = distance}.scores(rows);
  };
  CHECK(scores(0, published, KrumDistance::squared) == Scores{10, 5, 13, 52});
  CHECK(scores(0, published, KrumDistance::euclidean) == Scores{4, 3, 5, 10});
  CHECK(scores(0, published, KrumDistance::fourth_power) == Scores{82, 17, 97, 1552});
  CHECK(scores(0, with_itself, KrumDistance::squared) == Scores{1, 1, 4, 16});
  CHECK(scores(1, published, KrumDistance::squared) == Scores{1, 1, 4, 16});
  CHECK(scores(1, other_honest, KrumDistance::squared) == Scores{10, 5, 13, 52});
  CHECK(scores(1, honest, KrumDistance::squared) == Scores{59, 41, 29, 101});
  CHECK(scores(2, at_least_one, KrumDistance::squared) == Scores{1, 1, 4, 16});
  CHECK(Krum{.malicious = 1, .neighbours = honest}.combine(rows, {}) == Model{3});
}

TEST_CASE("Of equal scores the lowest row is chosen") {
  CHECK(Krum{.malicious = 1}.select(points({7, 3, 1, 0})) == Rows{2});
  CHECK(Krum{.malicious = 1}.select(points({7, 0, 3, 1})) == Rows{1});
  // Rows 1, 3 and 4 are equal.
  auto const rows = rows_of({{0.1F, 5.3F}, {0.7F, -0.3F}, {2.9F, 0.6F}, {0.7F, -0.3F}, {0.7F, -0.3F}, {-0.4F, 0.9F}});
  CHECK(Krum{.malicious = 1}.select(rows) == Rows{1});
  CHECK(MultiKrum{.malicious = 1, .averaged = 2}.select(rows) == Rows{1, 3});
  CHECK(MultiKrum{.malicious = 0, .averaged = 3}.select(points({1, 2, 3, 4, 5})) == Rows{1, 2, 3});
  CHECK(MultiKrum{.malicious = 0, .averaged = 4}.select(points({1, 2, 3, 4, 5})) == Rows{0, 1, 2, 3});
}

TEST_CASE("4096 added to every coordinate changes no choice") {
  Stream random(1);
  std::size_t different = 0;
  for (int draw = 0; draw < 200; ++draw) {
    MessageRows far(10, 46), near(10, 46);
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t k = 0; k < 46; ++k) {
        far.row(i)[k] = static_cast<float>(4096.0 + random.normal());
        near.row(i)[k] = far.row(i)[k] - 4096.0F;  // exact
      }
    auto const same = [&](auto const& rule) { different += rule.select(far) == rule.select(near) ? 0U : 1U; };
    same(Krum{.malicious = 2});
    same(MultiKrum{.malicious = 2});
    same(Bulyan{.malicious = 1});
    same(MinimumDiameter{.malicious = 2});
  }
  CHECK(different == 0);
}

TEST_CASE("The median of an even number of values") {
  auto const rows = points({20, 1, 10, 2});
  CHECK(Median{}.combine(rows, {}) == Model{6});
  CHECK(Median{.even = EvenMedian::lower}.combine(rows, {}) == Model{2});
  CHECK(Median{.even = EvenMedian::upper}.combine(rows, {}) == Model{10});
  for (auto const even : {EvenMedian::mean, EvenMedian::lower, EvenMedian::upper})
    CHECK(Median{.even = even}.combine(points({20, 1, 10}), {}) == Model{10});
}

TEST_CASE("Meamed keeps the values nearest the median, the smaller of two at the same distance") {
  CHECK(Meamed{.malicious = 1}.combine(points({10, 0, 2, 1}), {}) == Model{1});  // the median is 1.5
  CHECK(Meamed{.malicious = 2}.combine(points({-9, 4, 5, 6, 20}), {}) == Model{5});
  CHECK(Meamed{.malicious = 1}.combine(points({4, 0, 2}), {}) == Model{1});
}

TEST_CASE("Bulyan's choice by repeated Krum and by one pass") {
  // θ = 3. Krum with 2, 1 and 1 neighbours chooses 1, then 2, then 0 of 0 and 3, whose scores are equal.
  auto const rows = points({0, 1, 2, 3, 100});
  CHECK(Bulyan{.malicious = 1}.select(rows) == Rows{1, 2, 0});
  CHECK(Bulyan{.malicious = 1}.combine(rows, {}) == Model{1});
  CHECK(Bulyan{.malicious = 1, .selection = BulyanSelection::multi_krum_once}.select(rows) == Rows{1, 2, 0});
  // One pass: scores 34, 13, 29, 66.25 and 92.5. Without row 1 and with one neighbour: 25, 25, 2.25 and 2.25; then
  // without row 3: 25, 25 and 90.25.
  auto const two_groups = points({-3, 0, 2, 10, 11.5F});
  CHECK(Bulyan{.malicious = 1, .selection = BulyanSelection::multi_krum_once}.select(two_groups) == Rows{1, 2, 0});
  CHECK(Bulyan{.malicious = 1}.select(two_groups) == Rows{1, 3, 0});
}

TEST_CASE("CenteredClipping moves from the global model by clipped differences") {
  auto const rows = rows_of({{3, 4}, {0, 0}});
  auto const once = CenteredClipping{.radius = 1.0}.combine(rows, Model{0, 0});
  CHECK(once[0] == Approx(0.3));
  CHECK(once[1] == Approx(0.4));
  // From (0.3, 0.4) the differences are (2.7, 3.6), clipped to (0.6, 0.8), and (-0.3, -0.4).
  auto const twice = CenteredClipping{.radius = 1.0, .iterations = 2}.combine(rows, Model{0, 0});
  CHECK(twice[0] == Approx(0.45));
  CHECK(twice[1] == Approx(0.6));
  CHECK(CenteredClipping{.radius = 100.0}.combine(rows, Model{5, 5}) == Model{1.5F, 2});
  CHECK_THROWS_WITH((CenteredClipping{.radius = 0.0}.combine(rows, Model{0, 0})),
                    "CenteredClipping: required radius > 0, got 0");
  CHECK_THROWS_WITH((CenteredClipping{.iterations = 0}.combine(rows, Model{0, 0})),
                    "CenteredClipping: required iterations >= 1, got 0");
  CHECK_THROWS_WITH(CenteredClipping{}.combine(rows, Model{0}),
                    "CenteredClipping: required a global model of 2 parameters like the messages, got 1");
  CHECK_FALSE(CenteredClipping{}.guaranteed(1000));
}

TEST_CASE("The geometric median of triangles and quadrilaterals") {
  auto const check = [](MessageRows const& rows, double x, double y) {
    for (auto const start : {GeometricMedianStart::median, GeometricMedianStart::global, GeometricMedianStart::mean,
                             GeometricMedianStart::zero}) {
      auto const got = GeometricMedian{.malicious = 0, .start = start}.combine(rows, Model{0.5F, -3.0F});
      CHECK(got[0] == Approx(x).margin(1e-6));
      CHECK(got[1] == Approx(y).margin(1e-6));
    }
  };
  // The intersection of the diagonals.
  check(rows_of({{0, 0}, {2, 0}, {4, 4}, {0, 2}}), 1.0, 1.0);
  // A corner with an angle above 120°.
  check(rows_of({{0, 0}, {1, 0.125F}, {-1, 0.125F}}), 0.0, 0.0);
  // An equilateral triangle, up to rounding: the centre.
  check(rows_of({{-1, 0}, {1, 0}, {0, 1.7320508F}}), 0.0, 1.0 / std::sqrt(3.0));
  // Half of the rows are equal.
  check(rows_of({{7, 1}, {3, 3}, {-5, 2}, {3, 3}}), 3.0, 3.0);

  auto const rows = rows_of({{1, 2}, {3, 4}});
  CHECK_THROWS_WITH((GeometricMedian{.smoothing = -1.0}.combine(rows, {})),
                    "GeometricMedian: required smoothing >= 0, got -1");
  CHECK_THROWS_WITH((GeometricMedian{.tolerance = std::numeric_limits<double>::quiet_NaN()}.combine(rows, {})),
                    ContainsSubstring("required tolerance >= 0"));
  CHECK_THROWS_WITH((GeometricMedian{.start = GeometricMedianStart::global}.combine(rows, {})),
                    ContainsSubstring("a global model of 2 parameters"));
}

TEST_CASE("Rules compute where they can, report the guarantee, and .strict requires it") {
  check_minimum(Krum{.malicious = 2}, 5, 7);
  check_minimum(Krum{.malicious = 2, .neighbours = KrumNeighbours::at_least_one}, 3, 7);
  check_minimum(Krum{.malicious = 2, .neighbours = KrumNeighbours::other_honest}, 4, 7, false);
  check_minimum(Krum{.malicious = 2, .neighbours = KrumNeighbours::honest}, 3, 7, false);
  check_minimum(Krum{.malicious = 2, .neighbours = KrumNeighbours::with_itself}, 6, 7, false);
  check_minimum(MultiKrum{.malicious = 2}, 5, 7);
  check_minimum(MultiKrum{.malicious = 2, .averaged = 6}, 6, 8);
  check_minimum(TrimmedMean{.malicious = 2}, 5, 5);
  check_minimum(Median{.malicious = 2}, 5, 5);
  check_minimum(Meamed{.malicious = 2}, 3, 5);
  check_minimum(MinimumDiameter{.malicious = 2}, 3, 5);
  check_minimum(GeometricMedian{.malicious = 2}, 1, 5);
  check_minimum(Bulyan{.malicious = 2}, 9, 11);
  CHECK_THROWS_AS(CenteredClipping{}.combine(MessageRows(0, 2), Model(2)), TooFewMessages);
  CHECK_THROWS_WITH(Krum{.malicious = 2}.combine(MessageRows(4, 1), {}), "Krum: required at least 5 messages, got 4");
}

TEST_CASE("A round writes the model, the chosen clients and the guarantee") {
  std::vector<ClientMessage<LocalWeights>> messages;
  for (float const v : {0.0F, 1.0F, 2.0F, 3.0F, 100.0F})
    messages.push_back({static_cast<ClientId>(10 + messages.size()), {{v, -v}, 4}, 0});
  auto const round = [&](auto const& rule, Model const& model, std::vector<ClientId> const& selected, bool guaranteed) {
    LinearRanker ranker(Model{9, 9});
    RobustReport report{.selected = {77}, .guaranteed = !guaranteed};
    rule.aggregate(std::span<ClientMessage<LocalWeights> const>(messages), ranker, report);
    CHECK(Model(ranker.parameters().begin(), ranker.parameters().end()) == model);
    CHECK(report.selected == selected);
    CHECK(report.guaranteed == guaranteed);
  };
  round(Krum{.malicious = 1}, {1, -1}, {11}, true);
  round(Krum{.malicious = 2}, {0, 0}, {10}, false);
  round(MultiKrum{.malicious = 1}, {1.5F, -1.5F}, {10, 11, 12, 13}, true);
  round(Bulyan{.malicious = 1}, {1, -1}, {11, 12, 10}, false);
  round(MinimumDiameter{.malicious = 1}, {1.5F, -1.5F}, {10, 11, 12, 13}, true);
  round(Median{}, {2, -2}, {}, true);
  round(TrimmedMean{}, {2, -2}, {}, true);
  round(Meamed{.malicious = 2}, {2, -2}, {}, true);
  round(GeometricMedian{.malicious = 3}, {2, -2}, {}, false);
  round(CenteredClipping{.radius = 1e9}, {21.2F, -21.2F}, {}, false);
}

TEST_CASE("GeometricMedian reports whether it converged, and its guarantee only if it holds for the result") {
  std::vector<ClientMessage<LocalWeights>> messages;
  auto const round = [&](GeometricMedian const& rule) {
    LinearRanker ranker(Model{0, 0});
    RobustReport report{.selected = {77}};
    rule.aggregate(std::span<ClientMessage<LocalWeights> const>(messages), ranker, report);
    CHECK(report.selected.empty());
    return std::pair(report, std::hypot(ranker.parameters()[0], ranker.parameters()[1]));
  };
  // Four of nine clients send (1e12, 1e12). The bound is 2 · 5 / 1 · max ‖honest model‖ = 10 √2.
  for (float const v : {-1.0F, -0.5F, 0.0F, 0.5F, 1.0F, 1e12F, 1e12F, 1e12F, 1e12F})
    messages.push_back({static_cast<ClientId>(messages.size()), {{v, v > 2.0F ? v : -v * v}, 4}, 0});
  auto const [whole, near] = round({.malicious = 4});
  CHECK((whole.converged && whole.guaranteed && near <= 14.2F));
  auto const [few, far] = round({.malicious = 4,
                                 .smoothing = 1e-5,
                                 .iterations = 4,
                                 .tolerance = 1e-6,
                                 .start = GeometricMedianStart::mean,
                                 .stop = GeometricMedianStop::objective});
  CHECK((!few.converged && !few.guaranteed && far > 1e6F));
  CHECK(round({.malicious = 4, .iterations = 2}).first.converged == false);
  CHECK(round({.malicious = 4, .iterations = 2, .stop = GeometricMedianStop::never}).first.converged);
  CHECK_FALSE(round({.malicious = 5}).first.guaranteed);
  // One honest client has huge values, so the others decide: 3e38 must not hide a model far from zero.
  messages.resize(5);
  messages.push_back({5, {{3e38F, 3e38F}, 4}, 0});
  CHECK(round({.malicious = 1}).first.guaranteed);
  auto const [hidden, length] =
      round({.malicious = 1, .iterations = 1, .start = GeometricMedianStart::mean, .stop = GeometricMedianStop::never});
  CHECK((length > 1e30F && !hidden.guaranteed));
}

TEST_CASE("A direct call with NaN, infinity or another size than the ranker is an error") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  auto const refuses = [](auto const& rule) {
    for (float const bad : {nan, inf, -inf}) {
      MessageRows rows(7, 2);
      for (std::size_t i = 1; i < 7; ++i) rows.row(i)[0] = static_cast<float>(i);
      rows.row(0)[1] = bad;
      CHECK_THROWS_WITH(rule.combine(rows, Model{0, 0}),
                        ContainsSubstring("required finite values, got NaN or infinity"));
    }
    std::vector<ClientMessage<LocalWeights>> messages(7, {0, {{1, 2, 3}, 4}, 0});
    LinearRanker ranker(2);
    RobustReport report;
    CHECK_THROWS_WITH(rule.aggregate(std::span<ClientMessage<LocalWeights> const>(messages), ranker, report),
                      "robust aggregation: required messages of 2 values, as many as the ranker shares, got 3");
  };
  refuses(Krum{});
  refuses(MultiKrum{});
  refuses(Median{});
  refuses(TrimmedMean{});
  refuses(Meamed{});
  refuses(Bulyan{});
  refuses(GeometricMedian{});
  refuses(MinimumDiameter{});
  refuses(CenteredClipping{});
}

TEST_CASE("A number of malicious clients that would overflow the least number of messages is an error") {
  constexpr auto largest = std::numeric_limits<std::size_t>::max();
  auto const refuses = [](auto const& rule) {
    CHECK_THROWS_WITH(rule.combine(MessageRows(7, 2), Model{0, 0}), ContainsSubstring("required malicious < 2^32"));
  };
  refuses(Krum{.malicious = largest});
  refuses(MultiKrum{.malicious = largest});
  refuses(Median{.malicious = largest / 2 + 1});
  refuses(TrimmedMean{.malicious = largest / 2 + 1});
  refuses(Meamed{.malicious = largest});
  refuses(Bulyan{.malicious = largest / 4 + 1});
  refuses(MinimumDiameter{.malicious = largest});
}

TEST_CASE("The guarantee of Krum is that of the published convention, and of at most n − f averaged models") {
  CHECK(Krum{.malicious = 2}.guaranteed(7));
  CHECK_FALSE(Krum{.malicious = 2, .neighbours = KrumNeighbours::with_itself}.guaranteed(7));
  CHECK_FALSE(Krum{.malicious = 2, .distance = KrumDistance::euclidean}.guaranteed(7));
  CHECK(MultiKrum{.malicious = 2, .averaged = 5}.guaranteed(7));
  CHECK_FALSE(MultiKrum{.malicious = 2, .averaged = 6}.guaranteed(7));
}
