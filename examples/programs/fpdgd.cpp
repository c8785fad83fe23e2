// FPDGD (Wang et al. 2021): a federation of clients learns to rank from the clicks of their users, with or without
// differential privacy. For comparison, the same learner runs without a federation.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#ifdef FLTR_HAS_SECURE
#include <fltr/aggregators/secure_sum.hpp>
#endif
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/experiment.hpp"
#include "support/privacy_options.hpp"
#include "support/program.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

/// PDGD without a federation, computed as a federation of one client.
enum class Central {
  no,
  interactions,  ///< a round is one step from as many interactions as all clients together have
  each,          ///< the same interactions, one step per interaction
  updates,       ///< a round is one step from one interaction
};

enum class Mechanism { gamma, distributed_gaussian };

/// What hides the messages of single clients.
enum class Secure {
  no,
  ideal,    ///< the numbers of a secure sum without the protocol, for measurements of quality
  curious,  ///< SecureSum, for a server that follows the protocol
};

struct Options : CommonOptions, PrivacyOptions {
  std::optional<double> epsilon;
  Mechanism mechanism = Mechanism::gamma;
  Secure secure = Secure::no;
  double clip = 0.1;
  std::optional<double> total_epsilon;
  std::uint32_t fewest_reports = 0;
  std::uint32_t colluding = 0;
  double sensitivity = 5.0;
  ClipAt clip_at = ClipAt::half;
  Central central = Central::no;
  Negatives negatives = Negatives::examined;
  Mass mass = Mass::query;
};

void declare(Program& program, Options& o) {
  program.common(o);
  program.number("--epsilon", o.epsilon,
                 "nominal epsilon of a round, as the paper counts it; without this option, messages are not private",
                 above(0));
  program.number("--sensitivity", o.sensitivity,
                 "sensitivity of the weights; it determines the norm at which they are clipped, see --clip-at",
                 above(0));
  add_privacy_options(program, o);
  program.choice("--mechanism", o.mechanism,
                 {{"gamma", Mechanism::gamma}, {"distributed-gaussian", Mechanism::distributed_gaussian}},
                 "noise: that of the paper with --epsilon per round, or shares of Gaussian noise in a secure sum with "
                 "--total-epsilon for all rounds");
  program
      .choice("--secure", o.secure, {{"no", Secure::no}, {"ideal", Secure::ideal}, {"curious", Secure::curious}},
              "the server gets sums only: by secure aggregation against a curious server (needs libsodium), or ideal: "
              "the same numbers without the protocol")
      .implicit("curious");
  program.number("--clip", o.clip, "largest L2 norm of a client's update, for distributed-gaussian", above(0));
  program.number("--total-epsilon", o.total_epsilon,
                 "epsilon of all rounds together at --delta; it determines the noise of distributed-gaussian",
                 above(0));
  program.whole("--fewest-reports", o.fewest_reports,
                "messages with which a round of distributed-gaussian is used; 0: those of all clients", 0, 1'000'000);
  program.whole("--colluding", o.colluding,
                "reporting clients that may collude with the server or add no noise, for distributed-gaussian", 0,
                1'000'000);
  program.choice("--clip-at", o.clip_at, {{"half", ClipAt::half}, {"delta", ClipAt::delta}},
                 "clips weights at half the sensitivity (the paper) or at the sensitivity (the code of the paper)");
  program
      .choice("--central", o.central,
              {{"no", Central::no},
               {"interactions", Central::interactions},
               {"each", Central::each},
               {"updates", Central::updates}},
              "no federation: a round is one step from the interactions of all clients, one step per interaction, or "
              "one step from one interaction")
      .implicit("interactions");
  program.choice("--negatives", o.negatives, {{"examined", Negatives::examined}, {"displayed", Negatives::displayed}},
                 "which unclicked documents count as worse than a clicked one");
  program.choice("--mass", o.mass, {{"query", Mass::query}, {"displayed", Mass::displayed}},
                 "documents in the denominator of rho: all of the query, or only the displayed ones");
}

/// The learner and its clients: a federation, or one client that replaces all clients.
struct Setup {
  Pdgd learner;
  Iid clients;
};

Setup setup_of(Options const& o) {
  Pdgd learner{.learning_rate = static_cast<float>(o.learning_rate), .negatives = o.negatives, .mass = o.mass};
  std::uint32_t const all = o.clients * o.interactions;
  switch (o.central) {
    case Central::no:
      break;
    case Central::interactions:
      // The gradient is a sum over all clients; divided by their number, the step is as long as one of the federation.
      learner.update = LocalUpdate::once;
      learner.learning_rate /= static_cast<float>(o.clients);
      return {learner, {.clients = 1, .interactions = all}};
    case Central::each:
      return {learner, {.clients = 1, .interactions = all}};
    case Central::updates:
      return {learner, {.clients = 1, .interactions = 1}};
  }
  return {learner, {.clients = o.clients, .interactions = o.interactions}};
}

/// The text of the report in place of the number of clients.
std::string central_text(Options const& o) {
  if (o.central == Central::updates) return "no federation, 1 interaction a round";
  return "no federation, " + grouped(std::uint64_t{o.clients} * o.interactions) + " interactions a round";
}

/// The noise of --total-epsilon.
DistributedGaussian noise_of(Options const& o, std::size_t dimension) {
  return DistributedGaussian::for_total(*o.total_epsilon, o.delta, o.rounds, dimension,
                                        {.clip = o.clip,
                                         .fewest_reports = o.fewest_reports > 0 ? o.fewest_reports : o.clients,
                                         .colluding = o.colluding});
}

/// A training in which the server gets sums only.
void sealed_experiment(Run& run, Options const& o, NamedFold const& fold, LinearRanker const& ranker) {
  auto const [learner, clients] = setup_of(o);
  auto const users = click_model_of(o, fold);
  auto const federation = fpdgd(ranker, users, learner).with_execution(threads_of(o));
  RunOptions how = run_options(run.seed(), o.clients, o);
  auto const train_with = [&](auto const& sealed) {
    train_online(run, sealed.start(clients.split(fold.train), how), o, fold, users);
  };
#ifdef FLTR_HAS_SECURE
  if (!o.total_epsilon) {
    auto const seal = SecureSum<FedAvg>{}.prepared_for(o.clients);
    run.result("neighbours", static_cast<double>(seal.graph.neighbours));
    run.result("threshold", static_cast<double>(seal.graph.threshold));
    return train_with(federation.with_aggregator(seal));
  }
#endif
  auto const noise = noise_of(o, ranker.parameters().size());
  how.minimum_reports = noise.fewest_reports;
  how.delta = o.delta;
  run.result("noise_std", noise.sigma);
  run.result("overflow_probability", noise.overflow_probability(o.clients, ranker.parameters().size(), 32));
  FixedPoint const grid{.step = noise.step, .clamp = false, .clip = noise.clip};
  auto const noisy = federation.with_privatizer(noise);
  if (o.secure == Secure::ideal)
    return train_with(noisy.with_aggregator(IdealSum<FedAvg, std::uint32_t>{.grid = grid}));
#ifdef FLTR_HAS_SECURE
  auto const seal = SecureSum<FedAvg, SecureServer::curious, std::uint32_t>{.grid = grid}.prepared_for(o.clients);
  run.result("neighbours", static_cast<double>(seal.graph.neighbours));
  run.result("threshold", static_cast<double>(seal.graph.threshold));
  train_with(noisy.with_aggregator(seal));
#endif
}

template <class R>
void experiment(Run& run, Options const& o, NamedFold const& fold, R ranker) {
  if constexpr (std::same_as<R, LinearRanker>)
    if (o.secure != Secure::no) return sealed_experiment(run, o, fold, ranker);
  auto const [learner, clients] = setup_of(o);
  auto const users = click_model_of(o, fold);
  auto const federation = fpdgd(ranker, users, learner).with_execution(threads_of(o));
  RunOptions const how = run_options(run.seed(), o.clients, o);
  if (o.epsilon) {
    GammaNoise const noise{.epsilon = *o.epsilon, .sensitivity = o.sensitivity, .clip_at = o.clip_at};
    train_online(run, federation.with_privatizer(noise).start(clients.split(fold.train), how), o, fold, users);
  } else {
    train_online(run, federation.start(clients.split(fold.train), how), o, fold, users);
  }
}

void check_secure(Program& program, Options const& o) {
  bool const gaussian = o.mechanism == Mechanism::distributed_gaussian;
  if (gaussian && !o.total_epsilon) throw UsageError("--mechanism distributed-gaussian: required --total-epsilon");
  if (gaussian && o.epsilon) throw UsageError("--epsilon cannot be used with --mechanism distributed-gaussian");
  if (gaussian && o.secure == Secure::no)
    throw UsageError("--mechanism distributed-gaussian: required --secure, because its noise protects sums only");
  if (!gaussian)
    for (char const* option : {"--clip", "--total-epsilon", "--fewest-reports", "--colluding"})
      program.ignore(option, "belongs to --mechanism distributed-gaussian");
  std::uint32_t const reports = o.fewest_reports > 0 ? o.fewest_reports : o.clients;
  if (gaussian && (reports > o.clients || reports <= o.colluding))
    throw UsageError("--fewest-reports: required a number above --colluding and at most --clients, got " +
                     std::to_string(reports));
  if (gaussian && !(o.delta > 0)) throw UsageError("--delta: required a number above 0 with --total-epsilon, got 0");
  if (o.secure == Secure::no) return;
  if (o.ranker != RankerKind::linear) throw UsageError("--secure: required --ranker linear");
  if (o.central != Central::no) throw UsageError("--secure cannot be used with --central");
  if (o.epsilon) throw UsageError("--secure cannot be used with --epsilon; use --mechanism distributed-gaussian");
  if (o.secure == Secure::ideal && !gaussian)
    throw UsageError("--secure ideal: required --mechanism distributed-gaussian");
#ifndef FLTR_HAS_SECURE
  if (o.secure == Secure::curious)
    throw UsageError("--secure curious: this program was compiled without libsodium; required libsodium-dev");
#endif
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("fpdgd", "Federated pairwise differentiable gradient descent, with or without differential privacy.");
  declare(program, o);
  program.check([&] {
    check_secure(program, o);
    if (!o.epsilon)
      for (char const* option : {"--sensitivity", "--clip-at"})
        program.ignore(option, "belongs to --epsilon, which is not given");
    if (!o.epsilon && !o.total_epsilon)
      for (char const* option : {"--budget", "--delta"})
        program.ignore(option, "belongs to --epsilon or --total-epsilon, which are not given");
    if (o.ranker == RankerKind::neural)
      program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");
    if (o.central == Central::updates)
      for (char const* option : {"--clients", "--interactions"})
        program.ignore(option, "cannot be used with --central updates: each round is one step from one interaction");
    if (o.central != Central::no && o.epsilon) throw UsageError("--epsilon cannot be used with --central");
    if (std::uint64_t{o.clients} * o.interactions > 0xFFFFFFFFU && o.central != Central::no)
      throw UsageError("--central: required --clients times --interactions of at most 4294967295, got " +
                       std::to_string(std::uint64_t{o.clients} * o.interactions));
  });
  return program.run(argc, argv, [&] {
    Recorder recorder(
        program, o, o.epsilon || o.total_epsilon ? std::vector<std::string>{bound_column} : std::vector<std::string>{});
    if (o.central != Central::no) recorder.instead_of_clients(central_text(o));
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      std::size_t const features = fold.train.feature_count();
      if (o.ranker == RankerKind::neural)
        experiment(run, o, fold, NeuralRanker(features));
      else
        experiment(
            run, o, fold,
            LinearRanker(features, o.start == StartKind::random ? Initialization::random : Initialization::zero));
    });
    recorder.finish();
  });
}
