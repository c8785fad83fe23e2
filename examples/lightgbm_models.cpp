// Text models of LightGBM: two organisations each write a forest as a LightGBM file. A third party reads the files,
// merges the forests without data and writes the merged model. LightGBM can load all three files.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <span>
#include <vector>

#include <fltr/core/serial.hpp>
#include <fltr/data/select_queries.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/formats/lightgbm_reader.hpp>
#include <fltr/formats/lightgbm_writer.hpp>
#include <fltr/formats/merge_lightgbm_models.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>

namespace {

/// A forest trained on every second query, from query `first` on.
fltr::Forest trained_forest(fltr::Dataset const& data, std::uint32_t first) {
  std::vector<std::uint32_t> queries;
  for (std::uint32_t q = first; q < data.size(); q += 2) queries.push_back(q);
  return fltr::LambdaMart{.trees = 20, .leaves = 8}.train(fltr::Serial{}, fltr::select_queries(data, queries));
}

}  // namespace

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const folder = std::filesystem::temp_directory_path() / "fltr_lightgbm_models";
  std::filesystem::create_directories(folder);
  fltr::write_lightgbm_model(folder / "a.txt", fltr::LightGbmModel(trained_forest(fold.train, 0)));
  fltr::write_lightgbm_model(folder / "b.txt", fltr::LightGbmModel(trained_forest(fold.train, 1)));

  std::array const models{fltr::read_lightgbm_model(folder / "a.txt"), fltr::read_lightgbm_model(folder / "b.txt")};
  auto const merged = fltr::merge_lightgbm_models(models, std::array{0.5, 0.5});
  fltr::write_lightgbm_model(folder / "merged.txt", merged);

  auto const show = [&](char const* name, fltr::LightGbmModel const& model) {
    auto const forest = model.forest_for_float_rows();  // a Dataset holds floats, LightGBM's thresholds are doubles
    std::cout << name << ": " << forest.trees().size() << " trees, nDCG@10 "
              << fltr::evaluate(forest, fold.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  show("model a", models[0]);
  show("model b", models[1]);
  show("merged ", fltr::read_lightgbm_model(folder / "merged.txt"));
  std::filesystem::remove_all(folder);
}
