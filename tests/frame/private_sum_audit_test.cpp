// An audit of a whole small federation with DistributedGaussian: ten clients, four parameters, five rounds, a total
// epsilon of 1 at delta 1e-5. The server sees the sums of all rounds.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/accounting/audit.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

constexpr double clip = 0.1;

/// Client 0 sends the update (±1, 0, 0, 0), far beyond the clip; the others send no update.
struct SendsSecret {
  using Message = LocalWeights;
  bool positive = true;

  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    auto const parameters = ranker.parameters();
    LocalWeights message{{parameters.begin(), parameters.end()}, 1};
    if (client.id == 0) message.values[0] += positive ? 1.0F : -1.0F;
    return message;
  }
};

struct TenClients {
  std::vector<Client> clients;
  std::size_t size() const { return clients.size(); }
  Client operator[](std::size_t i) const { return clients[i]; }
};

struct Audited {
  double proven = 0.0;
  PrivacyLoss stated{};
};

/// The federation with noise that is `share` of the noise for a total epsilon of 1. The ledger believes in all of it.
Audited audit_with(double share) {
  static auto const data = toy_dataset(3, 3);
  TenClients all;
  for (std::uint32_t i = 0; i < 10; ++i) all.clients.push_back({i, 1, QueryPool(data)});
  auto const whole = DistributedGaussian::for_total(1.0, 1e-5, 5, 4, {.clip = clip, .fewest_reports = 10});
  auto noise = whole;
  noise.sigma *= share;
  Audited out;
  auto const draw = [&](std::size_t secret, std::uint64_t trial) {
    IdealSum<FedAvg, std::uint32_t> const sum{.grid = {.step = noise.step, .clamp = false}};
    auto training = make_federation(LinearRanker(4), NoClicks{}, SendsSecret{secret == 1}, sum, noise)
                        .start(all, {.seed = 2 * trial + secret, .minimum_reports = 10, .delta = 1e-5});
    training.run(5);
    out.stated = *training.round().privacy;
    // The log-likelihood ratio of the five sums is proportional to their total in the first coordinate.
    return std::vector<double>{static_cast<double>(training.ranker().parameters()[0])};
  };
  out.proven = audit(draw, threshold_events,
                     {.draws = 100'000, .selection = 10'000, .kept = 3, .delta = 1e-5, .significance = 0.001})
                   .epsilon;
  return out;
}

}  // namespace

TEST_CASE("audit of a federation with shared Gaussian noise: the ledger holds, and half of the noise is flagged") {
  auto const whole = audit_with(1.0);
  INFO("proven " << whole.proven << ", stated " << whole.stated.epsilon_accounted);
  CHECK(whole.stated.epsilon_accounted <= 1.0);
  CHECK(whole.stated.epsilon_accounted >= 0.99);
  CHECK(whole.proven <= whole.stated.epsilon_accounted);
  CHECK(whole.proven >= 0.4);
  auto const half = audit_with(0.5);
  INFO("with half of the noise proven " << half.proven);
  CHECK(half.proven > whole.stated.epsilon_accounted);
  CHECK(half.stated.epsilon_accounted > 1.0);  // the ledger knows the smaller sigma
}
