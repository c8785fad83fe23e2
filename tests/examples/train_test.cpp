#include "support/train.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>

#include <fltr/data/dataset.hpp>
#include <fltr/data/letor_reader.hpp>

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

struct Sample {
  Sample() : program("sample", "A sample.") {
    program.common(options);
    std::ofstream(folder.path() / "test.txt") << "1 qid:last,first 1:1\n"  // the relevant one of three is last
                                                 "0 qid:last,first 1:3\n"
                                                 "0 qid:last,first 1:2\n"
                                                 "0 qid:none 1:1\n"
                                                 "0 qid:none 1:2\n"
                                                 "2 qid:07 1:2\n"
                                                 "0 qid:07 1:1\n";
    test = fltr::read_letor(folder.path() / "test.txt");
  }

  fltr::testing::TemporaryFolder folder;
  CommonOptions options{.quiet = true};
  Program program;
  fltr::Dataset test;
};

}  // namespace

TEST_CASE("queries.csv has nDCG@10 of the queries with a relevant document") {
  Sample s;
  s.options.out = s.folder.path() / "out";
  Recorder recorder(s.program, s.options);
  for (std::uint64_t const seed : {7U, 8U}) {
    Run& run = recorder.start_run(2, seed);
    run.add({.round = 0});
    CHECK(run.records_queries());
    int scored = 0;
    record_queries(run, ByFirstFeature{&scored}, s.test);
    CHECK(scored == 3);
  }
  recorder.close();
  std::ifstream stream(s.options.out / "queries.csv", std::ios::binary);
  // One relevant document at rank 3: 1 / log2(4).
  CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) ==
        "run,seed,fold,qid,ndcg10\n"
        "1,7,2,\"last,first\",0.5\n"
        "1,7,2,07,1\n"
        "2,8,2,\"last,first\",0.5\n"
        "2,8,2,07,1\n");
  auto const results = read_query_results(s.options.out / "queries.csv");
  CHECK(results.runs == 2);
  CHECK(results.ndcg10 == std::map<QueryKey, double>{{{2, "last,first"}, 0.5}, {{2, "07"}, 1.0}});
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
