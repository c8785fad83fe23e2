// Saving a run every five rounds and continuing it from the files, as after a crash of the machine. The result has the
// same bits as a run without interruption.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/federation/checkpoint.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const place = std::filesystem::temp_directory_path() / "fltr_save_and_resume";
  std::filesystem::remove_all(place);

  // Adam at the server has a state of its own (two moments per weight), which is part of the saved state.
  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3))
                              .with_aggregator(fltr::FedOpt<fltr::Adam>{});
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  // The folder keeps the last two checkpoints. A checkpoint of other policies, options or data is refused.
  fltr::CheckpointFolder const folder(place);
  fltr::CheckpointOptions const options{.every_rounds = 5, .data = fltr::Fingerprint().add(data.train).value()};

  auto uninterrupted = federation.start(clients);
  uninterrupted.run(20);

  auto crashing = federation.start(clients);
  fltr::Checkpointer saving(folder, crashing, options);
  crashing.run(13, [&](auto const&) { saving.save_if_due(crashing); });  // the machine crashes after round 13

  auto resumed = federation.start(clients);  // the same policies, clients and seed
  fltr::Checkpointer checkpoints(folder, resumed, options);
  checkpoints.restore(resumed);
  std::cout << "resumed after round " << resumed.number() << '\n';
  resumed.run(20 - resumed.number(), [&](auto const&) { checkpoints.save_if_due(resumed); });
  std::filesystem::remove_all(place);

  bool const equal = std::ranges::equal(uninterrupted.ranker().parameters(), resumed.ranker().parameters());
  std::cout << "same bits after round 20: " << (equal ? "yes" : "no") << "\nnDCG@10 "
            << fltr::evaluate(resumed.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
}
