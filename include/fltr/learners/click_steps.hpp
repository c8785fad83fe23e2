#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/learners/additive_loss.hpp>
#include <fltr/learners/local_steps.hpp>

namespace fltr {

/// h = Σ_{d' ≠ d} max(0, 1 − (s_d − s_{d'})), which with 1 is never less than the rank of d, and its descent: one
/// credit for every d' within the margin, against it, and as many in favour of d, each times `factor(1 + h)`. Returns
/// h. In float: of scores beyond a million, the margin of 1 is no longer exact.
template <class Factor>
double hinge_credit(std::span<float const> scores, std::size_t document, Factor const& factor,
                    std::vector<float>& credit) {
  credit.resize(scores.size());
  float const own = scores[document] - 1.0F;
  std::array<float, simd::lanes> hinges{};
  std::array<std::uint32_t, simd::lanes> active{};
  auto const look = [&](std::size_t i, std::size_t lane) {
    float const gap = scores[i] - own;
    bool const within = gap > 0.0F;
    hinges[lane] += within ? gap : 0.0F;
    active[lane] += within ? 1 : 0;
    credit[i] = within ? -1.0F : 0.0F;
  };
  std::size_t i = 0;
  for (; i + simd::lanes <= scores.size(); i += simd::lanes)
    for (std::size_t lane = 0; lane < simd::lanes; ++lane) look(i + lane, lane);
  for (std::size_t lane = 0; i + lane < scores.size(); ++lane) look(i + lane, lane);
  // The document itself was looked at too.
  float const itself = scores[document] - own;
  std::uint32_t others = 0;
  for (std::uint32_t const n : active) others += n;
  others -= itself > 0.0F ? 1 : 0;
  double const h = static_cast<double>(simd::Lanes::sum_of(hinges.data()) - std::max(itself, 0.0F));
  auto const scale = static_cast<float>(factor(1.0 + h));
  for (float& c : credit) c *= scale;
  credit[document] = scale * static_cast<float>(others);
  return h;
}

/// The local work of all who learn from logged clicks: one step per click, in the order of the log, down
/// weight · g(1 + h) of the clicked document among all documents of its query. `weight(shown)` ≥ 0 says what a click is
/// worth.
///
/// All clients count the same at the server, however many clicks they had (FedIPS, eq. 6): it returns
/// client.interactions.
template <DifferentiableRanker R, AdditiveLoss G, class Weight>
std::uint32_t click_steps(R& local, HasClickLog auto const& client, auto& session, float learning_rate, G const& loss,
                          Weight const& weight) {
  ClickLog buffer;
  ClickLog const& log = client.log(session.streams, buffer);
  std::size_t list = 0;
  std::size_t rank = 0;
  auto const next_click = [&] {
    for (;; ++list, rank = 0)
      for (auto const shown = log[list].shown; rank < shown.size(); ++rank)
        if (shown[rank].clicked) return shown[rank++];
  };
  auto const credit = [&](R const& current, std::uint32_t) {
    Shown const click = next_click();
    QueryView const query = client.queries.data()[log[list].query];
    auto& scores = session.workspace.scores;
    scores.resize(query.document_count());
    current.score(query, scores);
    double const worth = weight(click);
    double const h = hinge_credit(
        scores, click.document, [&](double bound) { return worth * loss.slope(bound); }, session.workspace.credit);
    session.report(worth * loss.value(1.0 + h));
    return query;
  };
  local_steps(local, static_cast<std::uint32_t>(log.click_count()), learning_rate, LocalUpdate::every_interaction,
              session, credit);
  return client.interactions;
}

}  // namespace fltr
