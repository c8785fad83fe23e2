#include <fltr/formats/intents_reader.hpp>

#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using fltr::Dataset;
using fltr::Grade;
using fltr::parse_intents;

namespace {

Dataset documents() {
  return fltr::parse_letor(
      "1 qid:10 1:1 # docid = a\n"
      "0 qid:10 1:2 # docid = b\n"
      "2 qid:11 1:3 # docid = c\n",
      "data.txt");
}

}  // namespace

TEST_CASE("A file of intents has one line per document and one column per intent") {
  auto const intents = parse_intents("buy,qid,docid,read\n1,10,a,0\n0,10,b,1\n30,11,c,2\n", "i.csv", documents());
  REQUIRE(intents.size() == 2);
  CHECK(intents.grades[0] == std::vector<Grade>{1, 0, 30});
  CHECK(intents.grades[1] == std::vector<Grade>{0, 1, 2});
  CHECK(parse_intents("qid,x\r\n10,1\r\n10,0\r\n11,1\r\n", "i.csv", documents()).merged() ==
        std::vector<Grade>{1, 0, 1});
}

TEST_CASE("read_intents reads a file") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "intents.csv";
  std::ofstream(path) << "qid,x\n10,1\n10,0\n11,1\n";
  CHECK(fltr::read_intents(path, documents()).grades[0] == std::vector<Grade>{1, 0, 1});
  CHECK_THROWS_AS(fltr::read_intents(folder.path() / "none.csv", documents()), std::system_error);
}

TEST_CASE("Errors in a file of intents name file, line and column") {
  auto const data = documents();
  auto const fails = [&](std::string const& text, std::string const& message) {
    CHECK_THROWS_WITH(parse_intents(text, "i.csv", data), message);
  };
  fails("", "i.csv:1:1: expected a header line with the names of the columns");
  fails("x,y\n", "i.csv:1:1: expected a column 'qid'");
  fails("qid,docid\n", "i.csv:1:1: expected at least one column of an intent");
  fails("qid,x,x\n", "i.csv:1:7: expected each column once");
  fails("qid,x\n10,1\n10,0,3\n", "i.csv:3:1: expected 2 fields, got 3");
  fails("qid,x\n10,1\n11,0\n11,0\n", "i.csv:3:1: expected qid '10': lines are in the order of the data");
  fails("qid,docid,x\n10,a,1\n10,c,0\n", "i.csv:3:4: expected docid 'b': lines are in the order of the data");
  fails("qid,x\n10,1\n10,31\n", "i.csv:3:4: expected a grade of 0 to 30");
  fails("qid,x\n10,1\n10,0.5\n", "i.csv:3:4: expected a grade of 0 to 30");
  fails("qid,x\n10,1\n10,-1\n", "i.csv:3:4: expected a grade of 0 to 30");
  fails("qid,x\n10,1\n10,\n", "i.csv:3:4: expected a grade of 0 to 30");
  fails("qid,x\n10,1\n10,0\n", "i.csv:4:1: expected a line for each of 3 documents, got 2");
  fails("qid,x\n10,1\n10,0\n11,0\n12,0\n", "i.csv:5:1: expected the end of the file: the data has 3 documents");
  CHECK_THROWS_WITH(parse_intents("qid,docid,x\n", "i.csv", fltr::parse_letor("1 qid:1 1:1\n", "d")),
                    "i.csv:1:5: the data has no docids: expected no column 'docid'");
}
