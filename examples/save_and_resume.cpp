// Saving a run after round 10 and continuing it from the file, as after a restart of the machine. The result has the
// same bits as a run without interruption.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const path = std::filesystem::temp_directory_path() / "fltr_save_and_resume.state";

  // Adam at the server has a state of its own (two moments per weight), which is part of the saved state.
  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3))
                              .with_aggregator(fltr::FedOpt<fltr::Adam>{});
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});

  auto uninterrupted = federation.start(clients);
  uninterrupted.run(10);
  {
    auto const bytes = fltr::field_bytes(uninterrupted);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  uninterrupted.run(10);

  std::ifstream file(path, std::ios::binary);
  std::vector<char> const bytes{std::istreambuf_iterator<char>(file), {}};
  auto resumed = federation.start(clients);  // the same policies, clients and seed
  fltr::restore(resumed, std::as_bytes(std::span(bytes)));
  std::cout << "resumed after round " << resumed.number() << '\n';
  resumed.run(10);
  std::filesystem::remove(path);

  bool const equal = std::ranges::equal(uninterrupted.ranker().parameters(), resumed.ranker().parameters());
  std::cout << "same bits after round 20: " << (equal ? "yes" : "no") << "\nnDCG@10 "
            << fltr::evaluate(resumed.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
}
