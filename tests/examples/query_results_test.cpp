#include "support/query_results.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

struct Sample {
  QueryResults read(std::string const& text, std::string_view metric = "ndcg10") const {
    std::ofstream(folder.path() / "queries.csv", std::ios::binary) << text;
    return read_query_results(folder.path() / "queries.csv", metric);
  }
  /// The error about the lines below a valid header.
  std::string error(std::string const& lines) const {
    try {
      static_cast<void>(read("run,seed,fold,qid,ndcg10\n" + lines));
    } catch (std::runtime_error const& error) {
      std::string const text = error.what();
      std::string const file = (folder.path() / "queries.csv").string();
      REQUIRE(text.starts_with(file));
      return text.substr(file.size());
    }
    return "no error";
  }

  fltr::testing::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("A query is averaged over the runs of its fold") {
  auto const results = Sample().read(
      "run,seed,fold,qid,ndcg10\n"
      "1,5,1,a,0.25\n"
      "1,5,1,b,1\n"
      "2,6,1,a,0.5\n"
      "2,6,1,b,0\n"
      "3,5,3,a,0.125\n");
  CHECK(results.runs == 3);
  REQUIRE(results.values.size() == 3);
  CHECK(results.values.at({1, "a"}) == 0.375);
  CHECK(results.values.at({1, "b"}) == 0.5);
  CHECK(results.values.at({3, "a"}) == 0.125);
  REQUIRE(results.run_means.size() == 3);
  CHECK(results.run_means.at({1, 5}) == 0.625);
  CHECK(results.run_means.at({1, 6}) == 0.25);
  CHECK(results.run_means.at({3, 5}) == 0.125);
}

TEST_CASE("One of several metrics is read, whatever their order") {
  Sample s;
  std::string const text =
      "run,seed,fold,qid,ap,ndcg10,own\n"
      "1,5,1,a,0.25,0.5,\n"
      "2,6,1,a,0.75,1,-7\n";
  CHECK(s.read(text).values.at({1, "a"}) == 0.75);
  CHECK(s.read(text, "ap").values.at({1, "a"}) == 0.5);
  CHECK_THROWS_WITH(s.read(text, "own"), EndsWith("line 2: own has to be a number from 0 to 1, got \"\""));
  CHECK_THROWS_WITH(s.read(text, "mrr10"),
                    EndsWith("queries.csv, line 1: there is no metric mrr10, only ap, ndcg10, own"));
  CHECK_THROWS_WITH(s.read(text, "qid"), EndsWith("there is no metric qid, only ap, ndcg10, own"));
  CHECK_THROWS_WITH(s.read(text + "2,6,1,b,0.5\n"),
                    EndsWith("line 4: required 7 fields (run,seed,fold,qid,ap,ndcg10,own), got \"2,6,1,b,0.5\""));
}

TEST_CASE("Names in quotes, lines of other systems, and a last line without an end") {
  auto const results = Sample().read("run,seed,fold,qid,ndcg10\r\n1,1,1,\"x,\"\"y\"\"\",1e-05\r\n1,1,1,007,1");
  REQUIRE(results.values.size() == 2);
  CHECK(results.values.at({1, "x,\"y\""}) == 1e-5);
  CHECK(results.values.at({1, "007"}) == 1.0);
}

TEST_CASE("Names are text: 7 and 007 are two queries") {
  CHECK(Sample().read("run,seed,fold,qid,ndcg10\n1,1,1,7,0\n1,1,1,007,1\n").values.size() == 2);
}

TEST_CASE("A header alone is a file without queries") {
  auto const results = Sample().read("run,seed,fold,qid,ndcg10\n");
  CHECK(results.values.empty());
  CHECK(results.runs == 0);
}

TEST_CASE("What is no queries.csv is refused with the number of the line") {
  Sample s;
  CHECK_THROWS_WITH(s.read(""),
                    EndsWith("queries.csv, line 1: required \"run,seed,fold,qid\" and the names of metrics, got \"\""));
  CHECK_THROWS_WITH(s.read("run,seed,fold,qid\n"), EndsWith("got \"run,seed,fold,qid\""));
  CHECK_THROWS_WITH(s.read("seed,run,fold,qid,ndcg10\n"), EndsWith("got \"seed,run,fold,qid,ndcg10\""));
  CHECK_THROWS_WITH(s.read("run,seed,fold,round\n1,1,1,0\n"), EndsWith("got \"run,seed,fold,round\""));
  CHECK_THROWS_AS(read_query_results(s.folder.path() / "none"), std::runtime_error);
  CHECK_THROWS_AS(read_query_results(s.folder.path()), std::runtime_error);

  std::string const good = "1,1,1,a,0.5\n";
  CHECK(s.error(good) == "no error");
  CHECK(s.error(good + "1,1,1,b\n") == ", line 3: required 5 fields (run,seed,fold,qid,ndcg10), got \"1,1,1,b\"");
  CHECK_THAT(s.error(good + "1,1,1,b,0.5,\n"), StartsWith(", line 3: required 5 fields"));
  CHECK_THAT(s.error("1,1,1,\"b,0.5\n"), StartsWith(":2:7: expected a closing quote"));
  CHECK_THAT(s.error("0,1,1,b,0.5\n"), StartsWith(", line 2: run has to be a whole number from 1, got \"0\""));
  CHECK_THAT(s.error("x,1,1,b,0.5\n"), StartsWith(", line 2: run"));
  CHECK_THAT(s.error("1,-1,1,b,0.5\n"), StartsWith(", line 2: seed has to be a whole number from 0, got \"-1\""));
  CHECK_THAT(s.error("1,1,1.5,b,0.5\n"), StartsWith(", line 2: fold"));
  CHECK_THAT(s.error("1,1,1,,0.5\n"), StartsWith(", line 2: the qid is missing"));
  for (auto const* value : {"", "nan", "inf", "1.5", "-0.1", "0.5x"})
    CHECK(s.error(good + "1,1,1,b," + value + "\n") ==
          std::string(", line 3: ndcg10 has to be a number from 0 to 1, got \"") + value + "\"");
  CHECK(s.error(good + good) == ", line 3: query a is in run 1 twice");
  CHECK(s.error(good + "1,2,1,b,0.5\n") == ", line 3: run 1 has another seed or fold than before");
  CHECK(s.error(good + "1,1,2,b,0.5\n") == ", line 3: run 1 has another seed or fold than before");
}

TEST_CASE("A query that is missing in a run of its fold is an error") {
  CHECK(Sample().error("1,1,1,a,0.5\n1,1,1,b,0.5\n2,2,1,a,0.5\n") == ": query b of fold 1 is in 1 of 2 runs");
}
