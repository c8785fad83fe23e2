// Audits of noise of which each client adds a share, by another client. The auditor is the last of n clients: it knows its
// data and its own noise, and sees the sum of all messages. Client 0 has the secret, an update of ±S.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fltr/accounting/audit.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/polya_noise.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

constexpr double clip = 0.5;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Audited {
  double stated = 0.0;  ///< at delta
  double proven = 0.0;
};

/// `grid`: of the seal; without it the server adds the messages.
template <class P>
Audited audit_by_participant(P const& noise, std::uint32_t n, double delta = 0.0, std::optional<FixedPoint> grid = {}) {
  RoundRelease release{.asked = n, .reported = n, .dimension = 1};
  if (grid) {
    release.view = ServerView::sealed_sum;
    release.sum_step = grid->step;
  }
  std::vector<float> const broadcast(1);
  auto const draw = [&](std::size_t secret, std::uint64_t trial) {
    double sum = 0.0;  // exact for these numbers
    double own = 0.0;
    for (std::uint32_t client = 0; client < n; ++client) {
      float const value = client > 0 ? 0.25F : secret == 0 ? 0.5F : -0.5F;
      PrivacyContext const context{n, 1, {.seed = 2 * trial + secret, .round = 1, .client = client}, broadcast};
      auto const message = noise.privatize(LocalWeights{{value}, 1}, context);
      own = static_cast<double>(message.values[0]);
      if (grid) {
        auto const words = grid->template words<std::uint64_t>(FedAvg{}.contribution(message, broadcast), n);
        own = static_cast<double>(static_cast<std::int64_t>(words[0])) * grid->step;
      }
      sum += own;
    }
    double const seen = sum - own - 0.25 * (n - 2);
    return std::vector<double>{seen, std::abs(seen - clip), std::abs(seen + clip)};
  };
  AuditOptions const how{.draws = 60'000, .selection = 20'000, .delta = delta};
  Audited out{PrivacySum::of(noise.loss(release)).bound(BoundsAt(delta)).epsilon, 0.0};
  out.proven = audit(draw, threshold_events, how).epsilon;
  UNSCOPED_INFO(n << " clients: stated " << out.stated << ", proven " << out.proven);
  return out;
}

}  // namespace

TEST_CASE("Audit of GammaNoise by a participant: the default figure holds, that against the server alone does not") {
  for (std::uint32_t const n : {2U, 3U}) {
    GammaNoise noise{.epsilon = 1.0, .sensitivity = 2 * clip};
    auto const client = audit_by_participant(noise, n);
    CHECK(client.proven <= client.stated);
    CHECK((n == 2 ? client.stated == infinity : client.stated < 3.0));
    noise.colluding = 0;
    auto const server = audit_by_participant(noise, n);
    CHECK(server.stated == 1.0);
    CHECK(server.proven > 1.2 * server.stated);
    // Noise that is complete without that of another client.
    auto const complete =
        audit_by_participant(GammaNoise{.epsilon = 1.0, .sensitivity = 2 * clip, .fewest_reports = n}, n);
    CHECK(complete.stated == 1.0);
    CHECK(complete.proven <= complete.stated);
    CHECK(complete.proven > 0.85);
  }
}

TEST_CASE("Audit of PolyaNoise by a participant: the default figure holds, that against the server alone does not") {
  FixedPoint const grid{.step = 0x1p-8, .clamp = false};
  for (std::uint32_t const n : {2U, 3U}) {
    PolyaNoise noise{.epsilon = 0.5, .clip = clip, .fewest_reports = n, .step = grid.step};
    auto const client = audit_by_participant(noise, n, 0.0, grid);
    CHECK(client.stated == 0.5);
    CHECK(client.proven <= client.stated);
    CHECK(client.proven > 0.4);
    noise.colluding = 0;
    auto const server = audit_by_participant(noise, n, 0.0, grid);
    CHECK(server.stated == 0.5);
    CHECK(server.proven > 1.2 * server.stated);
  }
}

TEST_CASE(
    "Audit of DistributedGaussian by a participant: the default figure holds, that against the server alone does not") {
  FixedPoint const grid{.step = 0x1p-6, .clamp = false};
  DistributedGaussian noise{.clip = clip, .sigma = 1.0, .fewest_reports = 2, .step = grid.step};
  auto const client = audit_by_participant(noise, 2, 0.05, grid);
  CHECK(client.proven <= client.stated);
  CHECK(client.proven > 0.6 * client.stated);
  noise.colluding = 0;
  auto const server = audit_by_participant(noise, 2, 0.05, grid);
  CHECK(server.stated == Approx(client.stated).epsilon(0.05));
  CHECK(server.proven > server.stated);
}
