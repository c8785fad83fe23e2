// FPDGD (Wang et al. 2021): a federation of clients learns to rank from the clicks of their users, with or without
// differential privacy. For comparison, the same learner runs without a federation.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/any_seal.hpp"
#include "support/experiment.hpp"
#include "support/privacy_options.hpp"
#include "support/program.hpp"
#include "support/program_noise.hpp"
#include "support/secure_options.hpp"
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

struct Options : CommonOptions, PrivacyOptions, SecureOptions {
  std::optional<double> epsilon;
  double sensitivity = 5.0;
  ClipAt clip_at = ClipAt::half;
  Central central = Central::no;
  Negatives negatives = Negatives::examined;
  Mass mass = Mass::query;

  [[nodiscard]] bool noisy() const noexcept { return epsilon.has_value() || gaussian() || polya(); }
};

void declare(Program& program, Options& o) {
  program.common(o);
  program.number(
      "--epsilon", o.epsilon,
      "epsilon of a round: nominal, as the paper counts it; with --mechanism polya of the sealed sum. Without this "
      "option and without --total-epsilon, messages are not private",
      above(0));
  program.number("--sensitivity", o.sensitivity,
                 "sensitivity of the weights; it determines the norm at which they are clipped, see --clip-at",
                 above(0));
  add_privacy_options(program, o);
  add_statistics_option(program, o);
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
  add_secure_options(program, o);
  add_shared_noise_options(program, o);
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

/// The noise of the messages, with its line in the report.
ProgramNoise noise_of(Recorder& recorder, Options const& o, std::size_t parameters) {
  if (o.gaussian()) {
    auto const noise = gaussian_of(o, o, o.delta, parameters);
    record_noise(recorder, noise, o.sealed());
    return {noise};
  }
  if (o.polya()) {
    auto const noise = polya_of(o, o, o.epsilon, o.delta, parameters);
    record_noise(recorder, noise, o.sealed());
    return {noise};
  }
  if (o.epsilon) return {gamma_of(o, o, {.epsilon = *o.epsilon, .sensitivity = o.sensitivity, .clip_at = o.clip_at})};
  return {};
}

/// The seal of messages with this noise.
ContributionSeal seal_of(Options const& o, ProgramNoise const& noise, std::size_t parameters) {
  if (auto const* const gaussian = std::get_if<DistributedGaussian>(&noise.noise))
    return seal_of(o, o, *gaussian, parameters);
  if (auto const* const polya = std::get_if<PolyaNoise>(&noise.noise)) return seal_of(o, o, *polya, parameters);
  if (auto const* const gamma = std::get_if<GammaNoise>(&noise.noise)) return seal_of(o, o, *gamma);
  return seal_of(o, o);
}

template <class R>
void experiment(Recorder& recorder, Run& run, Options const& o, NamedFold const& fold, R ranker) {
  auto const [learner, clients] = setup_of(o);
  auto const users = click_model_of(o, fold);
  std::size_t const parameters = shared_parameters(ranker).size();
  auto const federation = fpdgd(ranker, users, learner).with_execution(execution_of(o));
  Dropout const population{clients.split(fold.train), o.dropout};
  ProgramNoise const noise = noise_of(recorder, o, parameters);
  bool const counted = o.sealed() || o.gaussian() || o.polya() || o.fewest_reports;
  // Without dropout all clients report. Then a budget need not assume that noise is missing.
  std::uint64_t const reports = o.dropout > 0 || o.minimum_reports > 1 ? o.minimum_reports : o.clients;
  RunOptions how = run_options(run.seed(), o.minimum_reports, reports, o);
  if (counted) how.minimum_reports = fewest_reports_of(o, o);
  if (o.sealed()) {
    auto const seal = seal_of(o, noise, parameters);
    record_seal(recorder, o, o, seal);
    auto const sealed = federation.with_privatizer(noise).with_aggregator(AnySeal<FedAvg>{{}, seal});
    train_online(run, sealed.start(population, how), o, fold, users);
  } else if (o.noisy()) {
    train_online(run, federation.with_privatizer(noise).start(population, how), o, fold, users);
  } else {
    train_online(run, federation.start(population, how), o, fold, users);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("fpdgd", "Federated pairwise differentiable gradient descent, with or without differential privacy.");
  declare(program, o);
  program.check([&] {
    if (o.gaussian())
      program.ignore("--epsilon", "belongs to --mechanism gamma; --mechanism distributed-gaussian has --total-epsilon");
    if (o.polya() && o.epsilon.has_value() == o.total_epsilon.has_value())
      throw UsageError("--mechanism polya: required either --epsilon or --total-epsilon");
    if (!o.gaussian() && !o.polya())
      for (char const* option : {"--clip", "--total-epsilon"})
        program.ignore(option, "belongs to --mechanism distributed-gaussian and polya");
    if (o.polya())
      for (char const* option : {"--sensitivity", "--clip-at"})
        program.ignore(option, "belongs to --mechanism gamma; --mechanism polya has --clip");
    else if (!o.epsilon)
      for (char const* option : {"--sensitivity", "--clip-at"})
        program.ignore(option, "belongs to --epsilon, which is not given");
    if (!o.noisy())
      for (char const* option : {"--budget", "--delta"})
        program.ignore(option, "belongs to --epsilon or --total-epsilon: without noise there is no budget");
    check_secure(program, o, o, o.delta, o.epsilon.has_value());
    if (o.ranker == RankerKind::neural)
      program.ignore("--start", "belongs to --ranker linear: a neural ranker always starts at random");
    if (o.central == Central::updates)
      for (char const* option : {"--clients", "--interactions"})
        program.ignore(option, "cannot be used with --central updates: each round is one step from one interaction");
    if (o.central != Central::no && o.epsilon && !o.polya())
      throw UsageError("--epsilon cannot be used with --central");
    if (o.central != Central::no && (o.gaussian() || o.polya()))
      throw UsageError("--mechanism cannot be used with --central");
    if (o.central != Central::no && o.sealed()) throw UsageError("--secure cannot be used with --central");
    if (o.central != Central::no)
      for (char const* option : {"--dropout", "--minimum-reports"})
        program.ignore(option, "cannot be used with --central: there are no clients that report");
    if (o.total_epsilon) program.fix_rounds();  // its noise depends on their number
    if (std::uint64_t{o.clients} * o.interactions > 0xFFFFFFFFU && o.central != Central::no)
      throw UsageError("--central: required --clients times --interactions of at most 4294967295, got " +
                       std::to_string(std::uint64_t{o.clients} * o.interactions));
  });
  return program.run(argc, argv, [&] {
    bool const accounted = o.noisy() || o.sealed();
    Recorder recorder(program, o, accounted ? std::vector<std::string>{bound_column} : std::vector<std::string>{});
    if (o.central != Central::no) recorder.instead_of_clients(central_text(o));
    for_each_run(o, recorder, [&](NamedFold const& fold, Run& run) {
      std::size_t const features = fold.train.feature_count();
      if (o.ranker == RankerKind::neural)
        experiment(recorder, run, o, fold, NeuralRanker(features));
      else
        experiment(
            recorder, run, o, fold,
            LinearRanker(features, o.start == StartKind::random ? Initialization::random : Initialization::zero));
    });
    recorder.finish();
  });
}
