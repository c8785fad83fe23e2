// What a saved model is worth on a LETOR file: metrics, and if asked for scores, a TREC run and its qrels.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fltr/aggregators/stacking.hpp>
#include <fltr/data/atomic_file.hpp>
#include <fltr/data/letor_reader.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/io/lightgbm_reader.hpp>
#include <fltr/io/model_file.hpp>
#include <fltr/io/trec.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear.hpp>
#include <fltr/rankers/neural.hpp>

#include <fmt/core.h>

#include "support/given_models.hpp"
#include "support/program.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

struct Options {
  std::filesystem::path model;
  std::filesystem::path data;
  Normalization normalize = Normalization::query;
  std::uint32_t model_base = 1;
  std::filesystem::path scores;
  std::filesystem::path run;
  std::filesystem::path qrels;
  Gain gain = Gain::exponential;
  EmptyQuery empty = EmptyQuery::skip;
  TieOrder ties = TieOrder::row;
  std::uint32_t threads = 0;
};

/// The files that were asked for, opened before any work is done.
struct Outputs {
  explicit Outputs(Options const& o) {
    if (!o.scores.empty()) scores.emplace(o.scores);
    if (!o.run.empty()) run.emplace(o.run);
    if (!o.qrels.empty()) qrels.emplace(o.qrels);
  }
  std::optional<AtomicFile> scores;
  std::optional<AtomicFile> run;
  std::optional<AtomicFile> qrels;
};

template <class Write>
void write_file(std::optional<AtomicFile>& file, Write const& write) {
  if (!file) return;
  write(file->out());
  file->commit();
}

template <Ranker R>
void report(Options const& o, Outputs& outputs, R const& ranker, Dataset const& data) {
  Grade const highest = static_cast<Grade>(data.grade_count() > 0 ? data.grade_count() - 1 : 0);
  auto const values = evaluate_on(Threads{static_cast<int>(o.threads)}, o.ties, ranker, data, Ndcg{1, o.gain, o.empty},
                                  Ndcg{5, o.gain, o.empty}, Ndcg{10, o.gain, o.empty}, Ndcg{0, o.gain, o.empty},
                                  Dcg{10, o.gain}, AveragePrecision{.empty = o.empty}, Precision{.cutoff = 10},
                                  ReciprocalRank{.cutoff = 10, .empty = o.empty},
                                  ExpectedReciprocalRank{.cutoff = 10, .highest_grade = highest, .empty = o.empty});
  write_file(outputs.scores, [&](std::ostream& out) {
    std::vector<float> scores;
    for (std::size_t q = 0; q < data.size(); ++q) {
      scores.resize(data[q].document_count());
      ranker.score(data[q], scores);
      for (float s : scores) out << fmt::format("{}\n", s);
    }
  });
  write_file(outputs.run, [&](std::ostream& out) { write_trec_run(out, data, ranker); });
  write_file(outputs.qrels, [&](std::ostream& out) { write_trec_qrels(out, data); });

  constexpr std::array names{"nDCG@1", "nDCG@5", "nDCG@10", "nDCG", "DCG@10", "MAP", "P@10", "MRR@10", "ERR@10"};
  fmt::print("{} queries ({} without a relevant document), {} documents\n", data.size(), data.empty_query_count(),
             data.document_count());
  for (std::size_t i = 0; i < names.size(); ++i)
    fmt::print("{:8} {:.6f}  over {} queries\n", names[i], values[i].mean(), values[i].queries);
}

/// The file, with the number of features of the model: a test file may lack the last ones. Features are numbered from
/// `base`.
Dataset load(Options const& o, std::size_t features, std::uint32_t base = 1) {
  auto data = read_letor(o.data, {.index_base = base, .feature_count = features});
  switch (o.normalize) {
    case Normalization::query:
      return normalize_per_query(std::move(data));
    case Normalization::zscore:
      return normalize_zscore(std::move(data));
    case Normalization::none:
      break;
  }
  return data;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("evaluate", "Evaluates a saved model on a LETOR file.");
  program.positional("MODEL", o.model, "a model that a program left in its --out folder, or a text model of LightGBM");
  program.positional("FILE", o.data, "documents with grades, in LETOR format");
  program.choice("--normalize", o.normalize,
                 {{"none", Normalization::none}, {"query", Normalization::query}, {"zscore", Normalization::zscore}},
                 "feature scaling, as the model was trained; forests have none unless it is given");
  program.whole("--model-base", o.model_base,
                "column of feature 1 in a model of LightGBM: 1 if it read files such as this, 0 for tables", 0, 1);
  program.path("--scores", o.scores, "writes one score per document, in the order of the file");
  program.path("--run", o.run, "writes a TREC run");
  program.path("--qrels", o.qrels, "writes the grades as TREC qrels");
  program.choice("--gain", o.gain, {{"exponential", Gain::exponential}, {"linear", Gain::linear}},
                 "of a grade in nDCG");
  program.choice("--empty", o.empty, {{"skip", EmptyQuery::skip}, {"zero", EmptyQuery::zero}, {"one", EmptyQuery::one}},
                 "what a query without relevant documents counts");
  program.choice("--ties", o.ties, {{"row", TieOrder::row}, {"reverse", TieOrder::reverse}},
                 "which of two equal scores comes first");
  program.whole("--threads", o.threads, "0 = all cores", 0, 1024);
  return program.run(argc, argv, [&] {
    bool const text = is_lightgbm_model(o.model);
    if (!text && program.given("--model-base")) throw UsageError("--model-base is for models of LightGBM");
    if (text) {
      if (!program.given("--normalize")) o.normalize = Normalization::none;
      auto const forest = read_lightgbm_model(o.model).forest_for_float_rows();
      Outputs outputs(o);
      return report(o, outputs, forest, load(o, forest.feature_count(), 1 - o.model_base));
    }
    ModelFile const file(o.model);
    Outputs outputs(o);
    if (file.name() == LinearRanker::model_name) {
      auto const ranker = file.read<LinearRanker>();
      report(o, outputs, ranker, load(o, ranker.parameters().size()));
    } else if (file.name() == NeuralRanker::model_name) {
      auto const ranker = file.read<NeuralRanker>();
      report(o, outputs, ranker, load(o, ranker.feature_count()));
    } else if (file.name() == Forest::model_name) {
      if (!program.given("--normalize")) o.normalize = Normalization::none;
      auto const forest = file.read<Forest>();
      report(o, outputs, forest, load(o, forest.feature_count()));
    } else if (file.name() == StackedForest::model_name) {
      if (!program.given("--normalize")) o.normalize = Normalization::none;
      auto const stacked = file.read<StackedForest>();
      report(o, outputs, stacked, load(o, stacked.feature_count()));
    } else {
      throw std::runtime_error("evaluate reads linear and neural models and forests, and this is a model '" +
                               file.name() + "'");
    }
  });
}
