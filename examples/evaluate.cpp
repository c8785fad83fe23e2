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
  std::filesystem::path scores;
  std::filesystem::path run;
  std::filesystem::path qrels;
  Gain gain = Gain::exponential;
  EmptyQuery empty = EmptyQuery::skip;
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
void report(Options const& o, OutputErrors& errors, Dataset const& data, std::vector<Score> const& scores) {
  std::vector<float> const& ranking = ranking_scores(o, data, scores);
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
    for (Score const score : scores) out << fmt::format("{}\n", score);  // as many digits as tell it from all others
  });
  write_file(errors, o.run, [&](std::ostream& out) { write_trec_run(out, data, ranking); });
  write_file(errors, o.qrels, [&](std::ostream& out) { write_trec_qrels(out, data); });
}

/// Says how many values were clamped, if any.
void report_clamped(ModelInput const& input, LetorReport const& read) {
  if (read.clamped > 0)
    fmt::print("{} feature {} beyond {:g} or {:g} clamped; see --clamp\n", read.clamped,
               read.clamped == 1 ? "value" : "values", -input.clamp_to, input.clamp_to);
}

/// The documents, prepared for the model, with this number of features (0: as many as the file has).
Dataset load(Options const& o, MappedFile const& file, ModelInput const& input, std::size_t features,
             LetorReport* read) {
  LetorOptions letor = letor_options(input.clamp_to);
  letor.feature_count = features;
  return input.normalization.apply(parse_letor(file.text(), o.data.string(), letor, read));
}

/// Evaluates a ranker by its scores in float or in double. A test file may lack the last features.
template <class Score = float, Ranker R>
void report_ranker(Options const& o, R const& ranker, ModelInput const& input) {
  OutputErrors errors;
  LetorReport read;
  auto const data = load(o, MappedFile(o.data), input, ranker.feature_count(), &read);
  report(o, errors, data, scores_of<Score>(o, ranker, data));
  report_clamped(input, read);
  errors.finish();
}

/// What a text model of LightGBM is worth. It compares doubles: the rows are doubles too, unless it was trained on
/// floats or they are normalized.
void report_lightgbm(Program const& program, Options const& o) {
  auto const input = text_model_input(o.model, o.normalize, o.clamp);
  auto const model = read_lightgbm_model(o.model);
  OutputErrors errors;
  MappedFile const file(o.data);  // of a pipe there is no second reading
  LetorReport read;
  auto data = load(o, file, input, 0, &read);
  std::size_t features = data.feature_count();
  // Who says where features begin may have a file that lacks the last ones.
  if (o.model_base) features = std::max(features + *o.model_base, model.forest.feature_count()) - *o.model_base;
  std::size_t const base = base_of(model, o.model.string(), features, o.model_base);
  data = widen(std::move(data), features);
  Forest const for_floats = without_base(model.forest_for_float_rows(), base, features);
  if (model.float_rows || input.normalization.kind() != Normalization::none) {
    report(o, errors, data, scores_of<double>(o, for_floats, data));
    report_clamped(input, read);
    return errors.finish();
  }
  if (program.given("--clamp"))
    throw UsageError("--clamp cannot be used here: " + o.model.string() +
                     " scores doubles, as LightGBM does, and those are "
                     "not clamped");

  auto const rows = parse_letor_rows(file.text(), o.data.string(), {.feature_count = features});
  Forest const forest = without_base(model.forest, base, features);
  auto const scores = score_all<double>(o, data, [&](std::size_t q, std::span<double> of_query) {
    for (std::size_t d = 0; d < of_query.size(); ++d)
      of_query[d] = forest.predict(rows.row(data.first_document(q) + d));
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
      "feature scaling, for models that do not say how they were trained: text models of LightGBM (none unless "
      "given) and models of version 0.1.0. Other models hold it with its statistics, and contradicting them "
      "is an error");
  program.clamp("--clamp", o.clamp);
  program.choice(
      "--model-base", o.model_base, model_bases(),
      "column of feature 1 in a model of LightGBM: 1 if it read files such as this, 0 for tables; auto: 1 if it "
      "has a column more than the file has features and the first is not used, 0 if that one is used");
  program.output("--scores", o.scores, "writes one score per document, in the order of the file");
  program.output("--run", o.run, "writes a TREC run");
  program.output("--qrels", o.qrels, "writes the grades as TREC qrels");
  program.choice("--gain", o.gain, {{"exponential", Gain::exponential}, {"linear", Gain::linear}},
                 "gain of a grade in nDCG and DCG");
  program.choice("--empty", o.empty, {{"skip", EmptyQuery::skip}, {"zero", EmptyQuery::zero}, {"one", EmptyQuery::one}},
                 "what a query without relevant documents counts");
  program.choice("--ties", o.ties, {{"row", TieOrder::row}, {"reverse", TieOrder::reverse}},
                 "which of two equal scores comes first");
  program.whole("--threads", o.threads, "0 = all cores", 0, 1024);
  return program.run(argc, argv, [&] {
    bool const text = is_lightgbm_model(o.model);
    if (!text && program.given("--model-base")) throw UsageError("--model-base is for models of LightGBM");
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
      throw std::runtime_error("evaluate reads linear and neural models and forests, and this is a model '" +
                               file.name() + "'");
    }
  });
}
