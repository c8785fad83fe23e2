#include "secure_options.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/core/error.hpp>

#include "recorder.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// The largest t for which Binomial(n, 1 − dropout) is below t with probability at most 2^-30; at least 1.
std::uint64_t likely_reports(std::uint64_t clients, double dropout) {
  if (dropout <= 0) return clients;
  if (dropout >= 1) return 1;
  auto const n = static_cast<double>(clients);
  double below = 0;
  for (std::uint64_t k = 0; k < clients; ++k) {
    auto const x = static_cast<double>(k);
    below += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log1p(-dropout) +
                      (n - x) * std::log(dropout));
    if (below > 0x1p-30) return std::max<std::uint64_t>(k, 1);
  }
  return clients;
}

ContributionSeal plain_seal(CommonOptions const& common, SecureOptions const& secure) {
  ContributionSeal out{.masked = secure.secure == SecureKind::masked, .threads = thread_count(common)};
  if (out.masked) {
    out.setting = secure_setting_of(common, secure);
    out.graph = secure_graph(out.setting);
  }
  return out;
}

/// The seal of whole numbers that clients make in steps of the noise.
template <class Noise>
ContributionSeal noisy_seal(CommonOptions const& common, SecureOptions const& secure, Noise const& noise,
                            std::size_t parameters) {
  ContributionSeal out = plain_seal(common, secure);
  out.grid = {.step = noise.step, .clamp = false, .clip = noise.clip};
  out.narrow = noise.overflow_probability(common.clients, parameters, 32) <= 0x1p-40;
  return out;
}

}  // namespace

void add_secure_options(Program& program, SecureOptions& options) {
  program
      .choice("--secure", options.secure,
              {{"no", SecureKind::no}, {"masked", SecureKind::masked}, {"ideal", SecureKind::ideal}},
              "masked: secure aggregation, by which the server learns only the sum of the messages (needs libsodium); "
              "ideal: the same numbers are added without masks, which hides nothing and gives the same result in less "
              "time")
      .implicit("masked");
  program.whole(
      "--fewest-reports", options.fewest_reports,
      "reports without which a sum is not opened, and that together have the whole noise; without this option "
      "--minimum-reports, or as many as a round has with probability 1 - 2^-30",
      1);
  program.whole(
      "--colluding", options.colluding,
      "reporting clients whose noise does not count, because they use what they know of it, collude with the "
      "server or add none: 1 = against every other client, 0 = against the server alone; sealed noise is that "
      "of the others");
}

void add_shared_noise_options(Program& program, SecureOptions& options) {
  program.choice("--mechanism", options.mechanism,
                 {{"gamma", SharedNoise::gamma},
                  {"distributed-gaussian", SharedNoise::distributed_gaussian},
                  {"polya", SharedNoise::polya}},
                 "noise of which each client adds a share: gamma = of the paper, see --epsilon; distributed-gaussian = "
                 "on the clipped update, for --total-epsilon over all rounds; polya = on the clipped update in whole "
                 "numbers, which add up to the discrete Laplace distribution, for --epsilon or --total-epsilon");
  program.number(
      "--clip", options.clip,
      "norm at which updates are clipped: L2 with --mechanism distributed-gaussian, L1 with --mechanism polya",
      above(0));
  program.number("--total-epsilon", options.total_epsilon,
                 "largest accounted epsilon over all rounds of a sealed sum, for which --mechanism "
                 "distributed-gaussian or polya chooses its noise",
                 above(0));
}

void add_gaussian_options(Program& program, SecureOptions& options) {
  program.number("--clip", options.clip, "L2 norm at which --mechanism distributed-gaussian clips updates", above(0));
  program.number(
      "--total-epsilon", options.total_epsilon,
      "largest accounted epsilon over all rounds of a sealed sum, for which --mechanism distributed-gaussian "
      "chooses its noise",
      above(0));
}

void check_secure(Program& program, CommonOptions const& common, SecureOptions const& secure, double delta,
                  bool noise) {
  if (secure.secure == SecureKind::masked && !masks_available())
    throw UsageError(
        "--secure masked: this program was built without libsodium, which masks need; --secure ideal adds the same "
        "numbers without masks");
  noise = noise || secure.gaussian() || secure.polya();
  if (!secure.sealed() && !noise) program.ignore("--fewest-reports", "needs --secure or noise, and neither is given");
  if (secure.secure != SecureKind::masked && !noise)
    program.ignore("--colluding", "needs --secure masked or noise, and neither is given");
  if (secure.gaussian()) {
    if (!secure.total_epsilon)
      throw UsageError("--mechanism distributed-gaussian: required --total-epsilon, which is not given");
    if (!(delta > 0)) throw UsageError("--delta: required a number above 0 with --mechanism distributed-gaussian");
  } else if (!secure.polya()) {
    for (char const* option : {"--clip", "--total-epsilon"})
      program.ignore(option, "belongs to --mechanism distributed-gaussian");
  }
  if (!secure.sealed() && !noise) return;
  std::uint64_t const t = fewest_reports_of(common, secure);
  if (program.given("--minimum-reports") && common.minimum_reports != t)
    throw UsageError(fmt::format("--minimum-reports {}: required the same number as --fewest-reports, {}",
                                 common.minimum_reports, t));
  if (t > common.clients)
    throw UsageError(fmt::format("--fewest-reports: required at most the {} clients, got {}", common.clients, t));
  if (noise && secure.colluding >= t && !(t == 1 && secure.colluding == 1))
    throw UsageError(
        fmt::format("--colluding: required fewer than the fewest reports, {}, got {}", t, secure.colluding));
  if (secure.secure != SecureKind::masked) return;
  if (common.clients > 1'000'000)
    throw UsageError(fmt::format("--clients: required at most 1,000,000 with --secure masked, got {}", common.clients));
  try {
    static_cast<void>(secure_graph(secure_setting_of(common, secure)));
  } catch (std::invalid_argument const& error) {
    throw UsageError(fmt::format("--secure masked: {}; use more --clients, more --fewest-reports, or less --colluding",
                                 without_library_names(error.what())));
  }
}

std::uint64_t fewest_reports_of(CommonOptions const& common, SecureOptions const& secure) {
  if (secure.fewest_reports) return *secure.fewest_reports;
  if (common.minimum_reports > 1) return common.minimum_reports;
  return likely_reports(common.clients, common.dropout);
}

SecureSetting secure_setting_of(CommonOptions const& common, SecureOptions const& secure) {
  auto const n = static_cast<double>(common.clients);
  std::uint64_t const stay =
      std::max(fewest_reports_of(common, secure), likely_reports(common.clients, common.dropout));
  return {.clients = common.clients,
          .dropout = 1 - static_cast<double>(std::min<std::uint64_t>(stay, common.clients)) / n,
          .corrupt = std::max(0.05, secure.colluding / n)};
}

DistributedGaussian gaussian_of(CommonOptions const& common, SecureOptions const& secure, double delta,
                                std::size_t parameters, std::string_view option) {
  return for_option(option, [&] {
    return DistributedGaussian::for_total(
        secure.total_epsilon.value_or(0), delta, common.rounds, parameters,
        {.clip = secure.clip, .fewest_reports = fewest_reports_of(common, secure), .colluding = secure.colluding});
  });
}

PolyaNoise polya_of(CommonOptions const& common, SecureOptions const& secure, std::optional<double> epsilon,
                    double delta, std::size_t parameters, std::string_view option) {
  PolyaNoise const noise{.epsilon = epsilon.value_or(1),
                         .clip = secure.clip,
                         .fewest_reports = fewest_reports_of(common, secure),
                         .colluding = secure.colluding};
  return for_option(epsilon ? "--epsilon" : option, [&] {
    if (epsilon) return noise.on_coarser_step();
    return PolyaNoise::for_total(secure.total_epsilon.value_or(0), delta, common.rounds, parameters, noise);
  });
}

GammaNoise gamma_of(CommonOptions const& common, SecureOptions const& secure, GammaNoise published,
                    std::string_view option) {
  if (secure.sealed() || secure.fewest_reports) published.fewest_reports = fewest_reports_of(common, secure);
  published.colluding = secure.colluding;
  return for_option(option, [&] {
    static_cast<void>(published.loss({.asked = 1, .reported = 1, .dimension = 1}));  // checks all but the scale
    double const scale = published.sensitivity / published.epsilon;
    require(scale >= 1e-30 && scale <= 1e30, "GammaNoise", "a noise scale, sensitivity / epsilon, in [1e-30, 1e30]",
            scale);
    return published;
  });
}

ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure) {
  return plain_seal(common, secure);
}

ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure, DistributedGaussian const& noise,
                         std::size_t parameters) {
  return noisy_seal(common, secure, noise, parameters);
}

ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure, PolyaNoise const& noise,
                         std::size_t parameters) {
  return noisy_seal(common, secure, noise, parameters);
}

ContributionSeal seal_of(CommonOptions const& common, SecureOptions const& secure, GammaNoise const& noise) {
  ContributionSeal out = plain_seal(common, secure);
  out.grid.clamp = false;
  // An update is at most as long as two clipped models. The noise of all n clients is a difference of two
  // Gamma(n/t, b): above 200 n/t scales with a probability below e^-64. FixedPoint writes up to 2^53 steps of a client.
  double const n = common.clients;
  double const noises = noise.fewest_reports > 0 ? n / static_cast<double>(noise.fewest_reports) : 1.0;
  double const scale = noise.sensitivity / noise.epsilon;
  double const sum = common.interactions * (n * 2.0 * noise.sensitivity + 200.0 * noises * scale);
  double const own = 2.0 * noise.sensitivity + 200.0 * scale;
  while ((sum >= 0x1p62 * out.grid.step || own >= 0x1p53 * out.grid.step) && out.grid.step < 0x1p100)
    out.grid.step *= 2.0;
  return out;
}

void record_seal(Recorder& recorder, CommonOptions const& common, SecureOptions const& secure,
                 ContributionSeal const& seal) {
  int const bits = seal.narrow ? 32 : 64;
  std::uint64_t const t = fewest_reports_of(common, secure);
  std::string text = seal.masked ? fmt::format("masked, {}, {} bits", describe(seal.graph), bits)
                                 : fmt::format("ideal (no masks), {} bits", bits);
  text += fmt::format("; opened with at least {} of {} reports", grouped(t), grouped(common.clients));
  if (secure.colluding > 0) text += fmt::format(", of which {} may collude", grouped(secure.colluding));
  Json json{{"kind", seal.masked ? "masked" : "ideal"},
            {"bits", bits},
            {"step", seal.grid.step},
            {"fewest_reports", t},
            {"colluding", secure.colluding}};
  if (seal.masked) {
    json["neighbours"] = seal.graph.neighbours;
    json["threshold"] = seal.graph.threshold;
    json["dropout"] = seal.setting.dropout;
    json["corrupt"] = seal.setting.corrupt;
  }
  recorder.result("secure_sum", json);
  recorder.line("secure sum", text);
}

namespace {

/// A single report has nobody beside it who could collude.
std::string reports_text(std::uint64_t fewest_reports, std::uint64_t colluding) {
  if (fewest_reports == 1) return "a sum of 1 report";
  return fmt::format("the sum of {} reports, {} of them colluding", grouped(fewest_reports), grouped(colluding));
}

}  // namespace

void record_noise(Recorder& recorder, DistributedGaussian const& noise, bool sealed) {
  recorder.line("noise", fmt::format("sigma {:.4g} in {}, updates clipped at {}", noise.sigma,
                                     reports_text(noise.fewest_reports, noise.colluding), shortest(noise.clip)));
  if (!sealed) recorder.line("", "without --secure the server sees single messages, each with a share of this noise");
  recorder.result("shared_noise", {{"sigma", noise.sigma},
                                   {"clip", noise.clip},
                                   {"step", noise.step},
                                   {"fewest_reports", noise.fewest_reports},
                                   {"colluding", noise.colluding}});
}

void record_noise(Recorder& recorder, PolyaNoise const& noise, bool sealed) {
  double const scale = static_cast<double>(noise.scale()) * noise.step;
  recorder.line("noise", fmt::format("discrete Laplace, scale {:.4g}, in {}, updates clipped at {} (L1)", scale,
                                     reports_text(noise.fewest_reports, noise.colluding), shortest(noise.clip)));
  if (!sealed) recorder.line("", "without --secure the server sees single messages, each with a share of this noise");
  recorder.result("shared_noise", {{"scale", scale},
                                   {"clip", noise.clip},
                                   {"step", noise.step},
                                   {"fewest_reports", noise.fewest_reports},
                                   {"colluding", noise.colluding}});
}

}  // namespace fltr::examples
