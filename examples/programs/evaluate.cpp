// Evaluates a saved model on a LETOR file: prints metrics, and optionally writes scores, a TREC run and its qrels.
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

#include <fltr/core/ordered_floats.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/pad_features.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/letor_double_rows.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/formats/lightgbm_columns.hpp>
#include <fltr/formats/lightgbm_reader.hpp>
#include <fltr/formats/mapped_file.hpp>
#include <fltr/formats/model_file.hpp>
#include <fltr/formats/trec.hpp>
#include <fltr/metrics/average_precision.hpp>
#include <fltr/metrics/dcg.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/expected_reciprocal_rank.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/metrics/precision.hpp>
#include <fltr/metrics/reciprocal_rank.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/rankers/score_all.hpp>
#include <fltr/rankers/stacked_forest.hpp>

#include <fmt/core.h>

#include "support/files.hpp"
#include "support/given_models.hpp"
#include "support/interruption.hpp"
#include "support/program.hpp"
#include "support/saved_input.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;

struct Options {
  std::filesystem::path model;
  std::filesystem::path data;
  std::optional<Normalization> normalize;
  double clamp = LetorOptions{}.clamp_to;
  std::optional<std::size_t> model_base;
  bool pad_features = false;
  std::filesystem::path scores;
  std::filesystem::path run;
  std::filesystem::path qrels;
  Gain gain = Gain::exponential;
  NoRelevantDocuments empty = NoRelevantDocuments::skip;
  TieOrder ties = TieOrder::row;
  std::uint32_t threads = 0;
};

template <class Write>
void write_file(OutputErrors& errors, std::filesystem::path const& path, Write const& write) {
  if (path.empty()) return;
  errors.attempt([&] {
    AtomicFile file(path);
    write(file.out());
    file.commit();
  });
}

/// The scores of a ranker, in float, or in double for rankers that have double scores.
template <class Score = float, Ranker R>
std::vector<Score> scores_of(Options const& o, R const& ranker, Dataset const& data) {
  return score_all<Score>(ranker, data, Threads{static_cast<int>(o.threads)});
}

/// The floats by which documents are ranked: scores in double become floats in the same order.
std::vector<float> const& ranking_scores(Dataset const&, std::vector<float> const& scores) { return scores; }
std::vector<float> ranking_scores(Dataset const& data, std::vector<double> const& scores) {
  std::vector<float> floats(scores.size());
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::size_t const first = data.first_document(q);
    std::size_t const count = data[q].document_count();
    ordered_floats(std::span(scores).subspan(first, count), std::span(floats).subspan(first, count));
  }
  return floats;
}

template <class Score>
void report(Options const& o, OutputErrors& errors, Dataset const& data, std::vector<Score> const& scores) {
  std::vector<float> const& ranking = ranking_scores(data, scores);
  Grade const highest = static_cast<Grade>(data.grade_count() > 0 ? data.grade_count() - 1 : 0);
  auto const values = evaluate_scores_on(
      Threads{static_cast<int>(o.threads)}, o.ties, ranking, data, Ndcg{1, o.gain, o.empty}, Ndcg{5, o.gain, o.empty},
      Ndcg{10, o.gain, o.empty}, Ndcg{0, o.gain, o.empty}, Dcg{10, o.gain}, AveragePrecision{.empty = o.empty},
      Precision{.cutoff = 10}, ReciprocalRank{.cutoff = 10, .empty = o.empty},
      ExpectedReciprocalRank{.cutoff = 10, .highest_grade = highest, .empty = o.empty});
  keep_results();
  constexpr std::array names{"nDCG@1", "nDCG@5", "nDCG@10", "nDCG", "DCG@10", "MAP", "P@10", "MRR@10", "ERR@10"};
  auto const queries = [](std::size_t n) { return fmt::format("{} {}", n, n == 1 ? "query" : "queries"); };
  fmt::print("{} ({} without a relevant document), {} {}\n", queries(data.size()), data.empty_query_count(),
             data.document_count(), data.document_count() == 1 ? "document" : "documents");
  for (std::size_t i = 0; i < names.size(); ++i)
    fmt::print("{:8} {:8}  over {}\n", names[i], values[i].queries > 0 ? fmt::format("{:.6f}", values[i].mean()) : "-",
               queries(values[i].queries));

  write_file(errors, o.scores, [&](std::ostream& out) {
    for (Score const score : scores)
      out << fmt::format("{}\n", score);  // the shortest text that reads back as the same number
  });
  write_file(errors, o.run, [&](std::ostream& out) { write_trec_run(out, data, ranking); });
  write_file(errors, o.qrels, [&](std::ostream& out) { write_trec_qrels(out, data); });
}

/// Prints how many values were clamped, if any.
void report_clamped(ModelInput const& input, LetorReport const& read) {
  if (read.clamped > 0)
    fmt::print("{} feature {} beyond {:g} or {:g} clamped; see --clamp\n", read.clamped,
               read.clamped == 1 ? "value" : "values", -input.clamp_to, input.clamp_to);
}

/// Throws unless the file has as many features as the model. With --pad-features it may have fewer.
void require_features(Options const& o, std::size_t in_model, std::size_t in_file) {
  if (in_file == in_model || (in_file < in_model && o.pad_features)) return;
  throw std::runtime_error(fmt::format("{}: required {} features, as many as the model {} has, got {}{}",
                                       o.data.string(), in_model, o.model.string(), in_file,
                                       in_file < in_model ? "; if the file lacks only features of value 0, give "
                                                            "--pad-features"
                                                          : ""));
}

/// Evaluates a ranker by its scores in float or in double.
template <class Score = float, Ranker R>
void report_ranker(Options const& o, R const& ranker, ModelInput const& input) {
  OutputErrors errors;
  LetorReport read;
  MappedFile const file(o.data);
  auto data = parse_letor(file.text(), o.data.string(), letor_options(input.clamp_to), &read);
  require_features(o, ranker.feature_count(), data.feature_count());
  data = input.normalization.apply(pad_features(std::move(data), ranker.feature_count()));
  report(o, errors, data, scores_of<Score>(o, ranker, data));
  report_clamped(input, read);
  errors.finish();
}

/// Evaluates a text model of LightGBM. Its trees compare doubles, so the rows are doubles too, unless the model was
/// trained on floats or the rows are normalised.
void report_lightgbm(Program const& program, Options const& o) {
  auto const input = text_model_input(o.model, o.normalize, o.clamp);
  auto const model = read_lightgbm_model(o.model);
  OutputErrors errors;
  MappedFile const file(o.data);  // parsed twice; a pipe cannot be read twice
  LetorReport read;
  auto data =
      input.normalization.apply(parse_letor(file.text(), o.data.string(), letor_options(input.clamp_to), &read));
  std::size_t features = data.feature_count();
  if (std::size_t const columns = model.forest.feature_count(); o.model_base && columns > features + *o.model_base) {
    require_features(o, columns - *o.model_base, features);
    features = columns - *o.model_base;
  }
  std::size_t const base = first_column_of(model, o.model.string(), features, o.model_base);
  data = pad_features(std::move(data), features);
  Forest const for_floats = from_lightgbm_columns(model.forest_for_float_rows(), base, features);
  if (model.float_rows || input.normalization.kind() != Normalization::none) {
    report(o, errors, data, scores_of<double>(o, for_floats, data));
    report_clamped(input, read);
    return errors.finish();
  }
  if (program.given("--clamp"))
    throw UsageError("--clamp cannot be used here: " + o.model.string() +
                     " scores doubles, as LightGBM does, and doubles are not clamped");

  auto const rows = parse_letor_double_rows(file.text(), o.data.string(), {.feature_count = features});
  Forest const forest = from_lightgbm_columns(model.forest, base, features);
  std::vector<double> scores(data.document_count());
  constexpr std::size_t block = 1024;  // documents that one thread scores
  for_each_block(Threads{static_cast<int>(o.threads)}, (scores.size() + block - 1) / block, [&](std::size_t b) {
    for (std::size_t d = b * block; d < std::min(scores.size(), (b + 1) * block); ++d)
      scores[d] = forest.predict(rows.row(d));
  });
  report(o, errors, data, scores);
  auto const with_floats = scores_of<double>(o, for_floats, data);
  std::size_t different = 0;
  for (std::size_t d = 0; d < scores.size(); ++d) different += scores[d] != with_floats[d] ? 1U : 0U;
  fmt::print("{} of {} documents score differently with rows of floats\n", different, scores.size());
  errors.finish();
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  Program program("evaluate", "Evaluates a saved model on a LETOR file.");
  program.positional("MODEL", o.model, "a model that a program left in its --out folder, or a text model of LightGBM");
  program.positional("FILE", o.data, "documents with grades, in LETOR format");
  program.choice(
      "--normalize", o.normalize,
      {{"none", Normalization::none}, {"query", Normalization::query}, {"zscore", Normalization::zscore}},
      "feature scaling, for models without this information: text models of LightGBM (none unless given) and model "
      "files of version 1. Other models contain their scaling and its statistics; an option that contradicts them is "
      "an "
      "error");
  program.clamp("--clamp", o.clamp);
  program.choice(
      "--model-base", o.model_base, model_bases(),
      "column of feature 1 in a model of LightGBM: 1 if LightGBM read LETOR files, 0 if it read tables; auto: 1 if the "
      "model has one column more than the file has features and no tree uses column 0, 0 if a tree uses column 0");
  program.flag("--pad-features", o.pad_features,
               "accepts a file with fewer features than the model; the missing last features are 0. Models of LightGBM "
               "need --model-base too");
  program.output("--scores", o.scores, "writes one score per document, in the order of the file");
  program.output("--run", o.run, "writes a TREC run");
  program.output("--qrels", o.qrels, "writes the grades as TREC qrels");
  program.choice("--gain", o.gain, {{"exponential", Gain::exponential}, {"linear", Gain::linear}},
                 "gain of a grade in nDCG and DCG");
  program.choice(
      "--empty", o.empty,
      {{"skip", NoRelevantDocuments::skip}, {"zero", NoRelevantDocuments::zero}, {"one", NoRelevantDocuments::one}},
      "how a query without relevant documents counts: not at all, as 0, or as 1");
  program.choice("--ties", o.ties, {{"row", TieOrder::row}, {"reverse", TieOrder::reverse}},
                 "order of documents with equal scores: as in the file, or reversed");
  program.whole("--threads", o.threads, "0 = all cores", 0, 1024);
  return program.run(argc, argv, [&] {
    if (!first_rank_works_alone()) return;
    bool const text = is_lightgbm_model(o.model);
    if (!text && program.given("--model-base"))
      throw UsageError("--model-base is for text models of LightGBM; " + o.model.string() + " is none");
    if (text) {
      return report_lightgbm(program, o);
    }
    ModelFile const file(o.model);
    auto const input = saved_input(program, o.model, file.input(), o.normalize.value_or(Normalization::none), o.clamp);
    if (file.name() == LinearRanker::model_name) {
      report_ranker(o, file.read<LinearRanker>(), input);
    } else if (file.name() == NeuralRanker::model_name) {
      report_ranker(o, file.read<NeuralRanker>(), input);
    } else if (file.name() == Forest::model_name) {
      report_ranker<double>(o, file.read<Forest>(), input);
    } else if (file.name() == StackedForest::model_name) {
      report_ranker(o, file.read<StackedForest>(), input);
    } else {
      throw std::runtime_error(fmt::format("{}: required a linear or neural model or a forest, got a model '{}'",
                                           o.model.string(), file.name()));
    }
  });
}
