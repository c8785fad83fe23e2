#include "support/train.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/query_results.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

struct ByFirstFeature {
  void score(fltr::QueryView query, std::span<float> scores) const {
    ++*queries;
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = query.row(i)[0];
  }
  int* queries;
};

/// A training whose server rejects two messages and misses one message in each round.
struct RejectingTraining {
  struct Round {
    std::uint32_t number = 0;
    fltr::RoundStatistics statistics;
    std::optional<fltr::PrivacyLoss> privacy{};
  };
  void run(std::uint32_t rounds, auto const& observer) {
    for (std::uint32_t number = 1; number <= rounds; ++number)
      if (!observer(Round{.number = number, .statistics = {.reported = 4, .rejected = 2, .dropped = 1}})) return;
  }
  [[nodiscard]] fltr::LinearRanker const& ranker() const { return model; }

  fltr::LinearRanker model{1};
};

/// A training in which no client reports: in no round, or not after the first one.
struct DiscardingTraining {
  bool all = true;
  fltr::LinearRanker model{1};

  void run(std::uint32_t rounds, auto const& observer) {
    for (std::uint32_t number = 1; number <= rounds; ++number)
      if (!observer(
              RejectingTraining::Round{.number = number, .statistics = {.dropped = 7, .discarded = all || number > 1}}))
        return;
  }
  [[nodiscard]] fltr::LinearRanker const& ranker() const { return model; }
};

struct Sample {
  Sample() : program("sample", "A sample.") {
    program.common(options);
    add_query("third,", 3);
    add_query("none", 0);
    add_query("07", 1);
    add_query("seventh", 7);
    add_query("eleventh", 11);
    test = fltr::read_letor(folder.path() / "test.txt");
  }

  /// Twelve documents; the one at this rank is relevant.
  void add_query(std::string const& qid, int relevant) {
    std::ofstream stream(folder.path() / "test.txt", std::ios::app);
    for (int rank = 12; rank > 0; --rank)
      stream << (rank == relevant ? "2 qid:" : "0 qid:") << qid << " 1:" << -rank << '\n';
  }

  fltr::testing::TemporaryFolder folder;
  CommonOptions options{.quiet = true};
  Program program;
  fltr::Dataset test;
};

}  // namespace

TEST_CASE("queries.csv has the metrics of the queries with a relevant document") {
  Sample s;
  s.options.out = s.folder.path() / "out";
  Recorder recorder(s.program, s.options);
  for (std::uint64_t const seed : {7U, 8U}) {
    Run& run = recorder.start_run(2, seed);
    run.add({.round = 0});
    CHECK(run.records_queries());
    int scored = 0;
    record_queries(run, ByFirstFeature{&scored}, s.test);
    CHECK(scored == 5);
  }
  recorder.close();
  std::ifstream stream(s.options.out / "queries.csv", std::ios::binary);
  // One relevant document at rank r: nDCG is 1 / log2(1 + r) down to the cutoff; AP, over the whole list, and RR are 1
  // / r.
  CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) ==
        "run,seed,fold,qid,ndcg10,ndcg5,ap,mrr10\n"
        "1,7,2,\"third,\",0.5,0.5,0.3333333333333333,0.3333333333333333\n"
        "1,7,2,07,1,1,1,1\n"
        "1,7,2,seventh,0.3333333333333333,0,0.14285714285714285,0.14285714285714285\n"
        "1,7,2,eleventh,0,0,0.09090909090909091,0\n"
        "2,8,2,\"third,\",0.5,0.5,0.3333333333333333,0.3333333333333333\n"
        "2,8,2,07,1,1,1,1\n"
        "2,8,2,seventh,0.3333333333333333,0,0.14285714285714285,0.14285714285714285\n"
        "2,8,2,eleventh,0,0,0.09090909090909091,0\n");
  auto const results = read_query_results(s.options.out / "queries.csv");
  CHECK(results.runs == 2);
  CHECK(results.values ==
        std::map<QueryKey, double>{
            {{2, "third,"}, 0.5}, {{2, "07"}, 1.0}, {{2, "seventh"}, 1.0 / 3}, {{2, "eleventh"}, 0.0}});
  CHECK(read_query_results(s.options.out / "queries.csv", "ap").values.at({2, "eleventh"}) == 1.0 / 11);
}

TEST_CASE("Without --out no query is evaluated") {
  Sample s;
  Recorder recorder(s.program, s.options);
  Run& run = recorder.start_run(1, 1);
  CHECK_FALSE(run.records_queries());
  int scored = 0;
  record_queries(run, ByFirstFeature{&scored}, s.test);
  CHECK(scored == 0);
}

TEST_CASE("Every training shows rejected and dropped messages in rounds.csv, run.json and the table") {
  Sample s;
  s.options.rounds = 3;
  s.options.out = s.folder.path() / "out";
  Recorder recorder(s.program, s.options);
  NamedFold fold;
  fold.test = s.test;
  train(recorder.start_run(1, 1), RejectingTraining{}, s.options, fold, [](auto const&) { return Offline{}; });
  recorder.close();
  Json const json = recorder.run_json();
  CHECK(json["result"]["rejected_messages"] == 6);
  CHECK(json["result"]["dropped_messages"] == 3);
  CHECK(json["model_sha256"] == fltr::model_sha256(fltr::LinearRanker(1)));
  CHECK_THAT(recorder.report(false, 80), ContainsSubstring("dropped messages                  3\n") &&
                                             ContainsSubstring("rejected messages                 6\n"));
  std::ifstream stream(s.options.out / "rounds.csv", std::ios::binary);
  CHECK_THAT(std::string(std::istreambuf_iterator<char>(stream), {}), ContainsSubstring("\n1,1,1,3,0,,,,7,1,2,,,,"));
}

TEST_CASE("A training whose rounds are all discarded says that it learned nothing") {
  Sample s;
  NamedFold fold;
  fold.test = s.test;
  for (bool const all : {true, false}) {
    Recorder recorder(s.program, s.options);
    s.options.rounds = 3;
    train(recorder.start_run(1, 1), DiscardingTraining{all}, s.options, fold, [](auto const&) { return Offline{}; });
    recorder.close();
    CHECK(recorder.run_json()["result"]["discarded_rounds"] == (all ? 3 : 2));
    CHECK(recorder.run_json().contains("warnings") == all);
  }
}
