#include <cstdint>
#include <filesystem>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/federation/poisoning_check.hpp>
#include <fltr/formats/letor_folds.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/summary_statistics.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "support/catch.hpp"
#include "support/real_data.hpp"

using namespace fltr;

TEST_CASE("MQ2008: FedEraser recovers most of what a poisoned client costs, as in the thesis of Wang (section 6.3)") {
  auto const folder = fltr::testing::real_data("MQ2008");
  if (folder.empty()) return;
  // 5 folds, 2 seeds, 10 clients, n = 5, n' = 3, an interval of 10, 2,000 rounds. Over 25 runs the program measures
  //
  //                     9H-0M - 9H-1M     10H-0M - 9H-0M    9H-0M - unlearned     (± 95 %)
  //     perfect          .034 ± .010       .000 ± .002        .005 ± .004
  //     navigational     .036 ± .009       .000 ± .002        .012 ± .004
  //     informational    .078 ± .020       .000 ± .002        .015 ± .006
  //
  // The half width for 10 runs is √(25 / 10) = 1.6 times as large. Means over the behaviours vary less. Over 25
  // runs the distance is at most .02, and at least 60 % of the gap is recovered for each behaviour, 75 % on average; the
  // bounds below leave room for the noise of 10 runs.
  std::vector<double> gaps;
  std::vector<double> recovered;
  for (int const behaviour : {0, 1, 2}) {
    std::vector<double> honest;
    std::vector<double> retrained;
    std::vector<double> poisoned;
    std::vector<double> unlearned;
    for (auto const& path : fold_folders(folder)) {
      auto const fold = normalize(read_letor_fold(path), Normalization::query);
      auto const users = behaviour == 0   ? CascadeModel::perfect(3)
                         : behaviour == 1 ? CascadeModel::navigational(3)
                                          : CascadeModel::informational(3);
      auto const federation = fpdgd(LinearRanker(fold.train.feature_count()), users, Pdgd{.learning_rate = 0.1F})
                                  .with_unlearner(FedEraser{.interval = 10, .local_steps = 3});
      std::vector<Client> clients;
      for (ClientId id = 0; id < 10; ++id) clients.push_back({id, 5, QueryPool(fold.train)});
      for (std::uint64_t const seed : {1U, 2U}) {
        auto const check = poisoning_check(federation, clients, {.forget = {9}, .rounds = 2000, .seed = seed});
        auto const ndcg = [&](auto const& ranker) { return evaluate(ranker, fold.test, Ndcg{.cutoff = 10}); };
        honest.push_back(ndcg(check->honest));
        retrained.push_back(ndcg(check->retrained));
        poisoned.push_back(ndcg(check->poisoned));
        unlearned.push_back(ndcg(check->unlearned));
      }
    }
    INFO("behaviour " << behaviour);
    double const gap = mean(retrained) - mean(poisoned);
    CHECK(gap > 0.015);
    CHECK(mean(honest) - mean(retrained) == Approx(0.0).margin(0.005));
    CHECK(mean(retrained) - mean(unlearned) < 0.025);
    gaps.push_back(gap);
    recovered.push_back(mean(unlearned) - mean(poisoned));
  }
  CHECK(mean(recovered) / mean(gaps) > 0.65);
}
