// What a saved model is worth on a LETOR file: metrics, and if asked for scores, a TREC run and its qrels.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/aggregators/stacking.hpp>
#include <fltr/core/ordered_floats.hpp>
#include <fltr/data/atomic_file.hpp>
#include <fltr/data/letor_reader.hpp>
#include <fltr/data/letor_rows.hpp>
#include <fltr/data/mapped_file.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/widen.hpp>
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
  std::optional<std::size_t> model_base;
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

/// The scores of all documents. `score_query(q, scores)` scores one query.
template <class Score, class ScoreQuery>
std::vector<Score> score_all(Options const& o, Dataset const& data, ScoreQuery const& score_query) {
  std::vector<Score> scores(data.document_count());
  for_each_block(Threads{static_cast<int>(o.threads)}, evaluation_blocks(data), [&](std::size_t block) {
    std::size_t const end = std::min(data.size(), (block + 1) * evaluation_block);
    for (std::size_t q = block * evaluation_block; q < end; ++q)
      score_query(q, std::span(scores).subspan(data.first_document(q), data[q].document_count()));
  });
  return scores;
}

/// The scores of a ranker, in float or, if it has those, in double.
template <class Score = float, Ranker R>
std::vector<Score> scores_of(Options const& o, R const& ranker, Dataset const& data) {
  return score_all<Score>(o, data, [&](std::size_t q, std::span<Score> scores) { ranker.score(data[q], scores); });
}

/// Floats by which documents are ranked.
std::vector<float> const& ranking_scores(Options const&, Dataset const&, std::vector<float> const& scores) {
  return scores;
}
std::vector<float> ranking_scores(Options const& o, Dataset const& data, std::vector<double> const& scores) {
  return score_all<float>(o, data, [&](std::size_t q, std::span<float> floats) {
    ordered_floats(std::span(scores).subspan(data.first_document(q), floats.size()), floats);
  });
}

template <class Score>
void report(Options const& o, Outputs& outputs, Dataset const& data, std::vector<Score> const& scores) {
  std::vector<float> const& ranking = ranking_scores(o, data, scores);
  Grade const highest = static_cast<Grade>(data.grade_count() > 0 ? data.grade_count() - 1 : 0);
  auto const values = evaluate_scores_on(
      Threads{static_cast<int>(o.threads)}, o.ties, ranking, data, Ndcg{1, o.gain, o.empty}, Ndcg{5, o.gain, o.empty},
      Ndcg{10, o.gain, o.empty}, Ndcg{0, o.gain, o.empty}, Dcg{10, o.gain}, AveragePrecision{.empty = o.empty},
      Precision{.cutoff = 10}, ReciprocalRank{.cutoff = 10, .empty = o.empty},
      ExpectedReciprocalRank{.cutoff = 10, .highest_grade = highest, .empty = o.empty});
  write_file(outputs.scores, [&](std::ostream& out) {
    for (Score const score : scores) out << fmt::format("{}\n", score);  // as many digits as tell it from all others
  });
  write_file(outputs.run, [&](std::ostream& out) { write_trec_run(out, data, ranking); });
  write_file(outputs.qrels, [&](std::ostream& out) { write_trec_qrels(out, data); });

  constexpr std::array names{"nDCG@1", "nDCG@5", "nDCG@10", "nDCG", "DCG@10", "MAP", "P@10", "MRR@10", "ERR@10"};
  fmt::print("{} queries ({} without a relevant document), {} documents\n", data.size(), data.empty_query_count(),
             data.document_count());
  for (std::size_t i = 0; i < names.size(); ++i)
    fmt::print("{:8} {:.6f}  over {} queries\n", names[i], values[i].mean(), values[i].queries);
}

/// The documents, with so many features, or 0 for those that the file has.
Dataset load(Options const& o, MappedFile const& file, std::size_t features) {
  auto data = parse_letor(file.text(), o.data.string(), {.feature_count = features});
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

/// What a ranker of so many features is worth, by its scores in float or in double. A test file may lack the last
/// features.
template <class Score = float, Ranker R>
void report_ranker(Options const& o, R const& ranker, std::size_t features) {
  Outputs outputs(o);
  auto const data = load(o, MappedFile(o.data), features);
  report(o, outputs, data, scores_of<Score>(o, ranker, data));
}

/// What a text model of LightGBM is worth. It compares doubles: the rows are doubles too, unless it was trained on
/// floats or they are normalized.
void report_lightgbm(Options const& o) {
  auto const model = read_lightgbm_model(o.model);
  Outputs outputs(o);
  MappedFile const file(o.data);  // of a pipe there is no second reading
  auto data = load(o, file, 0);
  std::size_t features = data.feature_count();
  // Who says where features begin may have a file that lacks the last ones.
  if (o.model_base) features = std::max(features + *o.model_base, model.forest.feature_count()) - *o.model_base;
  std::size_t const base = base_of(model, o.model.string(), features, o.model_base);
  data = widen(std::move(data), features);
  Forest const for_floats = without_base(model.forest_for_float_rows(), base, features);
  if (model.float_rows || o.normalize != Normalization::none)
    return report(o, outputs, data, scores_of<double>(o, for_floats, data));

  auto const rows = parse_letor_rows(file.text(), o.data.string(), {.feature_count = features});
  Forest const forest = without_base(model.forest, base, features);
  auto const scores = score_all<double>(o, data, [&](std::size_t q, std::span<double> of_query) {
    for (std::size_t d = 0; d < of_query.size(); ++d)
      of_query[d] = forest.predict(rows.row(data.first_document(q) + d));
  });
  report(o, outputs, data, scores);
  auto const with_floats = scores_of<double>(o, for_floats, data);
  std::size_t different = 0;
  for (std::size_t d = 0; d < scores.size(); ++d) different += scores[d] != with_floats[d] ? 1U : 0U;
  fmt::print("{} of {} documents score differently with rows of floats\n", different, scores.size());
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
  program.choice(
      "--model-base", o.model_base, model_bases(),
      "column of feature 1 in a model of LightGBM: 1 if it read files such as this, 0 for tables; auto: 1 if it "
      "has a column more than the file has features and the first is not used, 0 if that one is used");
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
      return report_lightgbm(o);
    }
    ModelFile const file(o.model);
    if (file.name() == LinearRanker::model_name) {
      auto const ranker = file.read<LinearRanker>();
      report_ranker(o, ranker, ranker.parameters().size());
    } else if (file.name() == NeuralRanker::model_name) {
      auto const ranker = file.read<NeuralRanker>();
      report_ranker(o, ranker, ranker.feature_count());
    } else if (file.name() == Forest::model_name) {
      if (!program.given("--normalize")) o.normalize = Normalization::none;
      auto const forest = file.read<Forest>();
      report_ranker<double>(o, forest, forest.feature_count());
    } else if (file.name() == StackedForest::model_name) {
      if (!program.given("--normalize")) o.normalize = Normalization::none;
      auto const stacked = file.read<StackedForest>();
      report_ranker(o, stacked, stacked.feature_count());
    } else {
      throw std::runtime_error("evaluate reads linear and neural models and forests, and this is a model '" +
                               file.name() + "'");
    }
  });
}
