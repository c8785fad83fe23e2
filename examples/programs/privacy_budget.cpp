// What a total privacy budget costs: nDCG@10 of FPDGD against the accounted epsilon of all rounds, for several
// mechanisms. Messages are sealed by ideal sums, which have the bits of secure sums.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/summary_statistics.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/experiment.hpp"
#include "support/local_mechanism.hpp"
#include "support/paired_means.hpp"
#include "support/privacy_options.hpp"
#include "support/program.hpp"
#include "support/program_noise.hpp"
#include "support/resumable_training.hpp"
#include "support/secure_options.hpp"
#include "support/table.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/train.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

enum class Kind { gaussian, polya, gamma, published, local_gaussian, local_laplace };

std::vector<std::pair<std::string, Kind>> const& kinds() {
  static std::vector<std::pair<std::string, Kind>> const all{{"distributed-gaussian", Kind::gaussian},
                                                             {"polya", Kind::polya},
                                                             {"gamma", Kind::gamma},
                                                             {"published", Kind::published},
                                                             {"local-gaussian", Kind::local_gaussian},
                                                             {"local-laplace", Kind::local_laplace}};
  return all;
}

Kind kind_of(std::string const& name) {
  for (auto const& [known, kind] : kinds())
    if (known == name) return kind;
  throw UsageError(
      "--mechanisms: required names among distributed-gaussian, polya, gamma, published, local-gaussian and "
      "local-laplace, got \"" +
      name + '"');
}

struct Options : CommonOptions, SecureOptions {
  std::vector<std::string> mechanisms{"distributed-gaussian", "gamma", "published", "local-gaussian"};
  std::vector<double> epsilons{0.5, 1, 2, 4.5};
  std::vector<double> clips{0.03, 0.1, 0.3};
  std::vector<double> sensitivities{5};
  double published_epsilon = 4.5;
  double delta = 1e-5;
};

void declare(Program& program, Options& o) {
  o.data = "synthetic:mq2007";
  o.rounds = 200;
  o.secure = SecureKind::ideal;
  program.common(o, {Common::ranker, Common::eval_every});
  add_statistics_option(program, o);
  program.list("--mechanisms", o.mechanisms,
               "distributed-gaussian: of the sum; polya: discrete Laplace noise of the sum; gamma: GammaNoise of the "
               "sum for the same totals; published: "
               "GammaNoise as in the paper, with --published-epsilon in every round; local-gaussian, local-laplace: of "
               "every message, without a seal");
  program.numbers("--epsilons", o.epsilons, "accounted epsilons of all rounds", above(0));
  program.numbers("--clips", o.clips,
                  "norms at which updates are clipped, L2 or with polya L1; the first repeat of a fold trains with "
                  "each of them, and the "
                  "one with the highest nDCG@10 on vali is used in all repeats of the fold",
                  above(0));
  program.numbers("--sensitivities", o.sensitivities,
                  "sensitivities of gamma and published, chosen in the same way; weights are clipped at half of them",
                  above(0));
  program.number("--published-epsilon", o.published_epsilon, "nominal epsilon of a round of published", above(0));
  program.number("--delta", o.delta, "delta of all rounds",
                 {.least = 0, .most = 1, .least_included = false, .most_included = false});
  program.whole(
      "--fewest-reports", o.fewest_reports,
      "reports without which a sum is not opened, and that together have the whole noise; without this option "
      "--minimum-reports, or as many as a round has with probability 1 - 2^-30",
      1);
  program.whole("--colluding", o.colluding,
                "reporting clients whose noise does not count, because they use what they know of it, collude with the "
                "server or add none: 1 = against every other client, 0 = against the server alone");
}

/// A mechanism for a total epsilon, and the bounds from which validation chooses: S or the sensitivity.
struct Method {
  std::string name;
  Kind kind;
  double epsilon;  ///< in total; of `published`: nominal, of a round
  std::vector<double> bounds;
};

std::vector<Method> methods_of(Options const& o) {
  std::vector<Method> out;
  for (std::string const& name : o.mechanisms) {
    Kind const kind = kind_of(name);
    bool const gamma = kind == Kind::gamma || kind == Kind::published;
    auto const& epsilons = kind == Kind::published ? std::vector{o.published_epsilon} : o.epsilons;
    for (double const epsilon : epsilons) out.push_back({name, kind, epsilon, gamma ? o.sensitivities : o.clips});
  }
  return out;
}

/// The noise with the largest epsilon of a message whose loss over all rounds of at least t reports is at most `total`.
template <class Noise>
Noise for_total(Options const& o, double total, std::size_t parameters, ServerView view, Noise noise) {
  BoundsAt const at(o.delta);
  RoundRelease release{.asked = o.clients, .reported = fewest_reports_of(o, o), .dimension = parameters, .view = view};
  auto const spent = [&](double epsilon) {
    noise.epsilon = epsilon;
    if constexpr (std::same_as<Noise, GammaNoise>) release.sum_step = seal_of(o, o, noise).grid.step;
    PrivacySum const round = PrivacySum::of(noise.loss(release));
    PrivacySum all = round;
    for (std::uint32_t i = 1; i < o.rounds; ++i) all += round;
    return all.bound(at).epsilon;
  };
  auto const fits = [&](double epsilon) { return for_option("--epsilons", [&] { return spent(epsilon) <= total; }); };
  double low = 0;
  double high = total;
  for (int i = 0; i < 50; ++i) {
    double const middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  if (!(low > 0))
    throw UsageError(
        fmt::format("--epsilons {}: no noise of this kind has such a total with --fewest-reports {} and "
                    "--colluding {}; use other --mechanisms, or count on more reports",
                    shortest(total), fewest_reports_of(o, o), o.colluding));
  noise.epsilon = low;
  return noise;
}

struct Trained {
  double test = 0;
  double vali = 0;
  double accounted = 0;
  std::string note{};  ///< the assumption or the reason of the accounted epsilon
  std::string bound{};
};

/// The results of a method over the runs.
struct Findings {
  PairedMeans loss;  ///< against no noise
  std::vector<double> none;
  std::vector<double> test;
  std::vector<double> accounted;
  std::string note;
  std::map<double, std::size_t> chosen;  ///< folds, by the bound
  std::map<std::size_t, double> bound_of_fold;
};

class Experiment {
 public:
  Experiment(Options const& o, NamedFold const& fold, Run& run, std::vector<Method> const& methods,
             std::vector<Findings>& findings, std::string& csv)
      : o_(o),
        fold_(fold),
        run_(run),
        methods_(methods),
        findings_(findings),
        csv_(csv),
        users_(click_model_of(o, fold)),
        ranker_(fold.train.feature_count(),
                o.start == StartKind::random ? Initialization::random : Initialization::zero) {}

  void operator()() {
    Dropout const clients{Iid{.clients = o_.clients, .interactions = o_.interactions}.split(fold_.train), o_.dropout};
    auto const plain = fpdgd(ranker_, users_, Pdgd{.learning_rate = static_cast<float>(o_.learning_rate)})
                           .with_execution(execution_of(o_));
    run_.stage(1, methods_.size() + 1, "no noise");
    auto training = plain.start(clients, {.seed = run_.seed(), .minimum_reports = o_.minimum_reports});
    train_rounds(
        run_, training, o_, [&](auto const& ranker) { return offline_of(ranker, fold_, users_, execution_of(o_)); },
        [](std::uint64_t) { return std::vector<Cell>(); });
    record_queries(run_, training.ranker(), fold_.test);
    record_model(run_, training.ranker(), fold_.input);
    if (run_.cut_short()) return;
    double const none = run_.offline_points().back().second;
    row("none", {}, 0, {none, 0, std::numeric_limits<double>::infinity(), {}});

    auto const train = [&](Method const& method, double bound) {
      std::size_t const parameters = ranker_.parameters().size();
      if (method.kind == Kind::local_gaussian)
        return train_once(
            plain.with_privatizer(AnyNoise{for_total(
                o_, method.epsilon, parameters, ServerView::messages,
                GaussianNoise{.delta = o_.delta / (2.0 * o_.rounds), .sensitivity = 2 * bound, .of = ClipOf::update})}),
            clients);
      if (method.kind == Kind::local_laplace) {
        double const l1 = 2 * bound * std::sqrt(static_cast<double>(parameters));  // of a vector of L2 norm 2S
        return train_once(
            plain.with_privatizer(AnyNoise{for_total(o_, method.epsilon, parameters, ServerView::messages,
                                                     LaplaceNoise{.sensitivity = l1, .of = ClipOf::update})}),
            clients);
      }
      auto const [noise, grid] = shared_noise(method, bound, parameters);
      return train_once(plain.with_privatizer(noise).with_aggregator(IdealSum<FedAvg>{{}, grid}), clients);
    };
    for (std::size_t m = 0; m < methods_.size(); ++m) {
      run_.stage(m + 2, methods_.size() + 1, methods_[m].name);
      if (!measure(methods_[m], findings_[m], none, train)) return;
    }
  }

 private:
  /// Trains with the bound of this fold, which the first run of the fold chooses. Returns false if a signal came.
  bool measure(Method const& method, Findings& findings, double none, auto const& train) {
    std::optional<Trained> best;
    double best_bound = 0;
    auto const known = findings.bound_of_fold.find(fold_.number);
    bool const choose = known == findings.bound_of_fold.end();
    for (double const bound : choose ? method.bounds : std::vector{known->second}) {
      auto const trained = train(method, bound);
      if (!trained) return false;
      row(method.name, method.epsilon, bound, *trained);
      if (best && !(trained->vali > best->vali)) continue;
      best = trained;
      best_bound = bound;
    }
    if (choose) {
      findings.bound_of_fold[fold_.number] = best_bound;
      ++findings.chosen[best_bound];
    }
    findings.loss.add({run_.number(), 0}, none, best->test);
    findings.none.push_back(none);
    findings.test.push_back(best->test);
    findings.accounted.push_back(best->accounted);
    findings.note = best->note;
    return true;
  }

  [[nodiscard]] std::pair<ProgramNoise, FixedPoint> shared_noise(Method const& method, double bound,
                                                                 std::size_t parameters) const {
    if (method.kind == Kind::gaussian) {
      SecureOptions secure = o_;
      secure.clip = bound;
      secure.total_epsilon = method.epsilon;
      auto const noise = gaussian_of(o_, secure, o_.delta, parameters, "--epsilons");
      return {{noise}, seal_of(o_, o_, noise, parameters).grid};
    }
    if (method.kind == Kind::polya) {
      SecureOptions secure = o_;
      secure.clip = bound;
      secure.total_epsilon = method.epsilon;
      auto const noise = polya_of(o_, secure, std::nullopt, o_.delta, parameters, "--epsilons");
      return {{noise}, seal_of(o_, o_, noise, parameters).grid};
    }
    GammaNoise noise = gamma_of(o_, o_, {.epsilon = method.epsilon, .sensitivity = bound},
                                method.kind == Kind::published ? "--published-epsilon" : "--epsilons");
    if (method.kind == Kind::published) noise.fewest_reports = 0;  // the noise of the paper
    if (method.kind == Kind::gamma) noise = for_total(o_, method.epsilon, parameters, ServerView::sealed_sum, noise);
    return {{noise}, seal_of(o_, o_, noise).grid};
  }

  template <class F>
  std::optional<Trained> train_once(F const& federation, auto const& clients) {
    return run_.evaluate([&]() -> std::optional<Trained> {
      auto training = federation.start(
          clients, {.seed = run_.seed(), .minimum_reports = fewest_reports_of(o_, o_), .delta = o_.delta});
      ResumableTraining saved(run_, training);
      NoState none;
      static_cast<void>(saved.resume(none));
      saved.run(o_.rounds, none, [&](auto const&) { return !stop_requested(); });
      if (training.number() < o_.rounds) {
        static_cast<void>(run_.stops());
        return std::nullopt;
      }
      auto const& ranker = training.ranker();
      auto const spent = training.round().privacy.value_or(PrivacyLoss{});
      return Trained{offline_of(ranker, fold_.test, execution_of(o_)).ndcg10,
                     offline_of(ranker, fold_.vali, execution_of(o_)).ndcg10, spent.epsilon_accounted,
                     spent.reason.empty() ? spent.assumption : spent.reason, spent.bound};
    });
  }

  void row(std::string const& name, std::optional<double> epsilon, double bound, Trained const& trained) {
    auto const number = [](double value) { return std::isfinite(value) ? shortest(value) : "inf"; };
    csv_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", run_.number(), run_.seed(), run_.fold(), name,
                        epsilon ? shortest(*epsilon) : "", number(trained.accounted), csv_field(trained.bound),
                        shortest(o_.delta), epsilon ? shortest(bound) : "", shortest(trained.test),
                        epsilon ? shortest(trained.vali) : "");
  }

  Options const& o_;
  NamedFold const& fold_;
  Run& run_;
  std::vector<Method> const& methods_;
  std::vector<Findings>& findings_;
  std::string& csv_;
  CascadeModel users_;
  LinearRanker ranker_;
};

// ---- the report

std::string epsilon_text(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "inf"; }

std::string table_of(Recorder& recorder, std::vector<Method> const& methods, std::vector<Findings> const& findings) {
  bool const utf8 = Terminal::of(stdout).utf8;
  Table table({"mechanism", "epsilon", "accounted", "nDCG@10", "loss", "95 % interval", "p", "bound (folds)"});
  Json cells = Json::array();
  for (std::size_t m = 0; m < methods.size(); ++m) {
    auto const& [name, kind, epsilon, bounds] = methods[m];
    Findings const& f = findings[m];
    if (f.test.empty()) continue;
    double const accounted = *std::ranges::max_element(f.accounted);
    auto const test = f.loss.test();
    double const loss = mean(f.none) - mean(f.test);
    std::vector<std::string> chosen;
    Json chosen_json = Json::object();
    for (auto const& [bound, folds] : f.chosen) {
      chosen.push_back(fmt::format("{} ({})", shortest(bound), folds));
      chosen_json[shortest(bound)] = folds;
    }
    table.add({name, shortest(epsilon), epsilon_text(accounted),
               mean_and_deviation(mean(f.test), standard_deviation(f.test), 4, utf8), fmt::format("{:+.4f}", loss),
               test ? fmt::format("[{:+.4f}, {:+.4f}]", test->low, test->high) : "-",
               test ? fmt::format("{:.2g}", test->p) : "-", join(chosen, ", ")});
    cells.push_back({{"mechanism", name},
                     {"epsilon", epsilon},
                     {"accounted", number_or_inf(accounted)},
                     {"note", f.note},
                     {"ndcg10", mean(f.test)},
                     {"ndcg10_sd", number_or_null(standard_deviation(f.test))},
                     {"no_noise_ndcg10", mean(f.none)},
                     {"loss", loss},
                     {"loss_low", test ? number_or_null(test->low) : Json()},
                     {"loss_high", test ? number_or_null(test->high) : Json()},
                     {"loss_p", test ? number_or_null(test->p) : Json()},
                     {"runs", f.test.size()},
                     {"bound", chosen_json}});
  }
  recorder.result("cells", cells);
  return table.text(utf8);
}

Series::Style style_of(Kind kind) {
  switch (kind) {
    case Kind::gaussian:
      return Series::Style::solid;
    case Kind::polya:
      return Series::Style::second_solid;
    case Kind::gamma:
      return Series::Style::dashed;
    case Kind::published:
      return Series::Style::second_reference;
    case Kind::local_gaussian:
      return Series::Style::third_reference;
    case Kind::local_laplace:
      break;
  }
  return Series::Style::second_dashed;
}

char const* label_of(Kind kind) {
  switch (kind) {
    case Kind::gaussian:
      return "Gaussian";
    case Kind::polya:
      return "Polya";
    case Kind::gamma:
      return "gamma";
    case Kind::published:
      return "published";
    case Kind::local_gaussian:
      return "local Gaussian";
    case Kind::local_laplace:
      break;
  }
  return "local Laplace";
}

/// The means with the 95 % intervals of the loss, side by side at each epsilon; no noise and published are lines.
Chart chart_of(Options const& o, std::vector<Method> const& methods, std::vector<Findings> const& findings) {
  bool const tested = std::ranges::any_of(findings, [](Findings const& f) { return f.loss.test().has_value(); });
  std::string const rest = fmt::format(", {} clients, {} rounds, delta {}{}", grouped(o.clients), grouped(o.rounds),
                                       shortest(o.delta), tested ? "; vertical: 95 % interval of the loss" : "");
  Chart chart{.title = "privacy_budget: nDCG@10 by total epsilon",
              .subtitle = shortened_path(o.data, 92 - std::min<std::size_t>(92, rest.size())) + rest,
              .x_label = "accounted epsilon of all rounds, not to scale",
              .y_label = "nDCG@10",
              .series = {},
              .least_y = 0,
              .most_y = 1};
  for (double const epsilon : o.epsilons) chart.x_names.push_back(shortest(epsilon));
  std::vector<double> const all{-0.5, static_cast<double>(o.epsilons.size()) - 0.5};
  std::map<std::string, Series> lines;
  std::vector<double> none;
  std::vector<Series> constants;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Findings const& f = findings[m];
    if (f.test.empty()) continue;
    none = f.none;
    Kind const kind = methods[m].kind;
    if (kind == Kind::published) {
      double const accounted = *std::ranges::max_element(f.accounted);
      chart.x_label += fmt::format("; published: {}", epsilon_text(std::round(accounted)));
      constants.push_back(
          {.label = label_of(kind), .x = all, .y = {mean(f.test), mean(f.test)}, .style = style_of(kind)});
      continue;
    }
    Series& line = lines[methods[m].name];
    line.label = label_of(kind);
    line.style = style_of(kind);
    line.form = Series::Form::points;
    line.x.push_back(static_cast<double>(std::ranges::find(o.epsilons, methods[m].epsilon) - o.epsilons.begin()));
    line.y.push_back(mean(f.test));
    auto const test = f.loss.test();
    line.deviation.push_back(test ? (test->high - test->low) / 2 : 0.0);
  }
  for (auto& [name, line] : lines) chart.series.push_back(std::move(line));
  if (!none.empty())
    chart.series.push_back(
        {.label = "no noise", .x = all, .y = {mean(none), mean(none)}, .style = Series::Style::reference});
  for (Series& line : constants) chart.series.push_back(std::move(line));
  return chart;
}

std::string notes(Options const& o) {
  std::string text = fmt::format(
      "Sealed sums are opened with at least {} of {} reports, of which {} may collude; the server learns the sum.\n"
      "The bound of a fold (S or the sensitivity) has the highest nDCG@10 on vali in its first repeat. With real data "
      "this choice\n"
      "reads vali without noise, and no epsilon here pays for it.\n",
      grouped(fewest_reports_of(o, o)), grouped(o.clients), grouped(o.colluding));
  if (std::ranges::find(o.mechanisms, "published") != o.mechanisms.end())
    text +=
        "published: accounted for a sealed sum. Without a seal the server sees single messages, and epsilon is inf.\n";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("privacy_budget",
                  "nDCG@10 of FPDGD against the total privacy budget of all rounds, for several mechanisms.");
  declare(program, o);
  program.check([&] {
    bool const gamma = std::ranges::any_of(
        methods_of(o), [](Method const& m) { return m.kind == Kind::gamma || m.kind == Kind::published; });
    if (!gamma) program.ignore("--sensitivities", "belongs to the mechanisms gamma and published");
    if (o.normalize == Normalization::zscore && !o.public_statistics)
      throw UsageError(
          "--normalize zscore: required --public-statistics: without it every message depends on all clients' "
          "documents, and each epsilon is infinite");
    check_secure(program, o, o, o.delta, true);
    program.fix_rounds();  // the noise depends on their number
    for (auto* const values : {&o.epsilons, &o.clips, &o.sensitivities}) {
      std::ranges::sort(*values);
      values->erase(std::unique(values->begin(), values->end()), values->end());
    }
  });
  return program.run(argc, argv, [&] {
    o.eval_every = o.rounds;
    auto const methods = methods_of(o);
    std::vector<Findings> findings(methods.size());
    std::string csv =
        "run,seed,fold,mechanism,epsilon,epsilon_accounted,epsilon_bound,delta,bound,ndcg10,vali_ndcg10\n";
    Recorder recorder(program, o);
    for_each_run(o, recorder,
                 [&](NamedFold const& fold, Run& run) { Experiment(o, fold, run, methods, findings, csv)(); });
    recorder.picture(chart_of(o, methods, findings));
    if (recorder.files().is_open()) recorder.files().write("budget.csv", csv);
    std::string const table = table_of(recorder, methods, findings);
    recorder.finish('\n' + table + notes(o));
  });
}
