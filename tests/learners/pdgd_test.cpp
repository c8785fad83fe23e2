#include <fltr/learners/pdgd.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/pdgd_cases.hpp"

namespace {

using fltr::LearnerWorkspace;
using fltr::Pdgd;
using fltr::testing::PdgdCase;

/// Scores and masses of a golden case, and the mass that its list leaves out.
double prepare(PdgdCase const& c, LearnerWorkspace& work) {
  fltr::LinearRanker const ranker(c.weights);
  auto const query = c.data[0];
  work.scores.resize(query.document_count());
  ranker.score(query, work.scores);
  fltr::PlackettLuce list(work);
  list.prepare();
  work.order = c.ranking;
  double rest = std::accumulate(work.masses.begin(), work.masses.end(), 0.0);
  std::vector<double> unplaced = work.masses;
  for (auto d : c.ranking) unplaced[d] = 0.0;
  rest = std::accumulate(unplaced.begin(), unplaced.end(), 0.0);
  return rest;
}

std::vector<double> gradient_of(PdgdCase const& c, LearnerWorkspace const& work) {
  fltr::LinearRanker const ranker(c.weights);
  std::vector<float> gradient(c.weights.size());
  ranker.backward(c.data[0], work.score_gradient, gradient);
  return {gradient.begin(), gradient.end()};
}

double distance(std::vector<double> const& a, std::vector<double> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double norm(std::vector<double> const& a) { return distance(a, std::vector<double>(a.size())); }

}  // namespace

TEST_CASE("PDGD's gradient equals the reference code's on all golden cases") {
  for (auto const& c : fltr::testing::read_pdgd_cases()) {
    LearnerWorkspace work;
    double const rest = prepare(c, work);
    Pdgd{}.score_gradient(work, rest, c.clicks);
    CHECK(distance(gradient_of(c, work), c.gradient) <= 1e-5 * norm(c.gradient));
    Pdgd{.negatives = fltr::Negatives::displayed, .mass = fltr::Mass::displayed}.score_gradient(work, 0.0, c.clicks);
    CHECK(distance(gradient_of(c, work), c.gradient_displayed) <= 1e-5 * norm(c.gradient_displayed));
  }
}

TEST_CASE("The golden cases detect a rho of one half") {
  std::size_t caught = 0;
  std::size_t with_pairs = 0;
  for (auto const& c : fltr::testing::read_pdgd_cases()) {
    if (c.pairs.empty()) continue;
    ++with_pairs;
    LearnerWorkspace work;
    prepare(c, work);
    work.score_gradient.assign(work.masses.size(), 0.0F);
    for (auto const& p : c.pairs) {
      double const w = Pdgd::pair_weight(1.0, work.masses[c.ranking[p.clicked]], work.masses[c.ranking[p.unclicked]]);
      work.score_gradient[c.ranking[p.clicked]] += static_cast<float>(w);
      work.score_gradient[c.ranking[p.unclicked]] -= static_cast<float>(w);
    }
    if (distance(gradient_of(c, work), c.gradient) > 1e-5 * norm(c.gradient)) ++caught;
  }
  CHECK(with_pairs == 11);
  CHECK(caught == with_pairs);
}

TEST_CASE("rho and weight of every golden pair agree with the reference code") {
  for (auto const& c : fltr::testing::read_pdgd_cases()) {
    LearnerWorkspace work;
    double const rest = prepare(c, work);
    std::vector<double> shown;
    for (auto d : c.ranking) shown.push_back(work.masses[d]);
    std::vector<double> room(2 * shown.size());
    fltr::detail::SwapOdds const odds(shown, rest, room);
    for (auto const& p : c.pairs) {
      double const o = odds(p.clicked, p.unclicked);
      // Scores are floats: an error of 1e-6 in each of up to ten factors.
      CHECK(1.0 / (1.0 + o) == Approx(p.rho).epsilon(2e-5));
      CHECK(Pdgd::pair_weight(o, shown[p.clicked], shown[p.unclicked]) == Approx(p.weight).epsilon(2e-5));
    }
  }
}

TEST_CASE("SwapOdds are the quotient of the two list probabilities") {
  std::vector<double> const shown{.3, 2.0, .05, 1.0, .7};
  double const rest = 1.7;
  auto const probability = [&](std::vector<double> const& list) {
    double p = 1;
    double left = rest + std::accumulate(list.begin(), list.end(), 0.0);
    for (double m : list) {
      p *= m / left;
      left -= m;
    }
    return p;
  };
  std::vector<double> room(2 * shown.size());
  fltr::detail::SwapOdds const odds(shown, rest, room);
  for (std::size_t a = 0; a < shown.size(); ++a)
    for (std::size_t b = 0; b < shown.size(); ++b) {
      if (a == b) continue;
      auto swapped = shown;
      std::swap(swapped[a], swapped[b]);
      CHECK(odds(a, b) == Approx(probability(shown) / probability(swapped)).epsilon(1e-12));
    }
}

TEST_CASE("SwapOdds are finite and correct for a score spread of 200") {
  // Two documents placed against their scores, 0 above 200 and 200 above 0, both lists with a third at 100.
  for (bool best_first : {true, false}) {
    LearnerWorkspace work;
    work.scores = {200.0F, 0.0F, 100.0F};
    fltr::PlackettLuce list(work);
    list.prepare();
    work.order = best_first ? std::vector<std::uint32_t>{0, 2, 1} : std::vector<std::uint32_t>{1, 2, 0};
    std::vector<std::uint8_t> const clicks{0, 0, 1};
    Pdgd{}.score_gradient(work, 0.0, clicks);
    for (float v : work.score_gradient) CHECK(std::isfinite(v));
    std::vector<double> shown;
    for (auto d : work.order) shown.push_back(work.masses[d]);
    std::vector<double> room(6);
    fltr::detail::SwapOdds const odds(shown, 0.0, room);
    // Best first: P(R) = 1 · 1 (to 1e-43) and P(R*) = e^-200 · e^-100 (rank 1 and 2 of the reversed list).
    double const log_odds = std::log(odds(0, 2));
    CHECK(log_odds == Approx(best_first ? 300.0 : -300.0).epsilon(1e-12));
    CHECK(Pdgd::pair_weight(odds(0, 2), shown[0], shown[2]) ==
          Approx(best_first ? std::exp(-500.0) : std::exp(-200.0)).epsilon(1e-10));
  }
}

TEST_CASE("SwapOdds keep their digits if one document has nearly all the mass") {
  // Z_2 − e^{s(hi)} is 2e-30 here, and would be 0 as a difference from 1.
  std::vector<double> const shown{1e-30, 1.0, 1e-30};
  std::vector<double> room(6);
  fltr::detail::SwapOdds const odds(shown, 1e-30, room);
  // P(R)/P(R*) for ranks 0 and 1 swapped: (Z_1 + m_0 - m_1) / Z_1 with Z_1 = 1 + 2e-30.
  CHECK(odds(0, 1) == Approx(3e-30).epsilon(1e-12));
}

TEST_CASE("Without a click all score_gradients are 0; a click on the last rank is compared with every document above") {
  LearnerWorkspace work;
  work.scores = {1.0F, 2.0F, 3.0F, 4.0F};
  fltr::PlackettLuce list(work);
  list.prepare();
  work.order = {3, 2, 1, 0};
  Pdgd{}.score_gradient(work, 0.0, std::vector<std::uint8_t>{0, 0, 0, 0});
  for (float v : work.score_gradient) CHECK(v == 0.0F);
  Pdgd{}.score_gradient(work, 0.0, std::vector<std::uint8_t>{0, 0, 0, 1});
  for (std::size_t i = 1; i < 4; ++i) CHECK(work.score_gradient[i] < 0.0F);
  CHECK(work.score_gradient[0] > 0.0F);
  Pdgd{}.score_gradient(work, 0.0, std::vector<std::uint8_t>{1, 0, 0, 0});
  CHECK(work.score_gradient[2] < 0.0F);  // one past the last click
  CHECK(work.score_gradient[1] == 0.0F);
  CHECK(work.score_gradient[0] == 0.0F);
}

TEST_CASE("PDGD with sorted lists shows the documents with the highest scores and leaves the mass of the others") {
  LearnerWorkspace work;
  work.scores = {0.5F, 2.0F, -1.0F, 2.0F, 0.0F};
  fltr::PlackettLuce list(work);
  list.prepare();
  list.sort(3);
  CHECK(work.order == std::vector<std::uint32_t>{1, 3, 0});  // equal scores: the lower row first
  CHECK(list.unplaced() == Approx(std::exp(-1.0 - 2.0) + std::exp(0.0 - 2.0)));
  list.sort(9);
  CHECK(work.order.size() == 5);
  CHECK(list.unplaced() == 0.0);
}
