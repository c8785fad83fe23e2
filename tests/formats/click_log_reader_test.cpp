#include <fltr/formats/click_log_reader.hpp>

#include <fstream>
#include <string>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace {

using namespace fltr;

/// Two queries with docids: "a" with x, y, z and "b" with x, w.
Dataset const& data() {
  static Dataset const set = parse_letor(
      "1 qid:a 1:1 # docid = x\n0 qid:a 1:2 # docid = y\n2 qid:a 1:3 # docid = z\n"
      "0 qid:b 1:4 # docid = x\n1 qid:b 1:5 # docid = w\n",
      "data");
  return set;
}

RecordedLogs read(std::string const& text) { return parse_click_log(text, "log.csv", data()); }

}  // namespace

TEST_CASE("A click log may hold several clients, lists and additional columns") {
  auto const logs = read(
      "time,client,qid,docid,position,click,propensity\n"
      "9:00,ann,a,z,1,0,1\n"
      "9:00,bob,b,x,1,1,0.9\n"  // clients may alternate
      "9:00,ann,a,x,2,1,0.5\n"
      "9:01,ann,a,z,1,1,\n"        // the position does not rise: the next list
      "9:02,ann,b,w,2,0,0.25\n");  // another query: the next list, of which only rank 2 was logged
  CHECK(logs.clients == std::vector<std::string>{"ann", "bob"});
  REQUIRE(logs.logs.size() == 2);
  ClickLog const& ann = logs.logs[0];
  REQUIRE(ann.size() == 3);
  CHECK(ann.click_count() == 2);
  CHECK(ann[0].query == 0);
  REQUIRE(ann[0].shown.size() == 2);
  CHECK(ann[0].shown[0].document == 2);
  CHECK(ann[0].shown[1].document == 0);
  CHECK(ann[0].shown[1].clicked);
  CHECK(ann[0].shown[1].propensity == 0.5F);
  CHECK_FALSE(ann[1].shown[0].has_propensity());
  CHECK(ann[2].query == 1);
  CHECK(ann[2].shown[0].position == 2);
  CHECK(logs.logs[1][0].shown[0].propensity == 0.9F);
  for (auto const& log : logs.logs) CHECK_NOTHROW(log.check(data()));
}

TEST_CASE("A click log may have rows instead of docids, a column of lists, quotes, CR LF and a byte-order mark") {
  auto const logs = read(
      "\xEF\xBB\xBF\"client\",row,click,position,qid,list\r\n"
      "\"smith, john\",3,1,1,a,1\r\n"
      "\"smith, john\",1,0,2,a,2\r\n"
      "\r\n"
      "\"smith, john\",2,0,3,a,2");
  REQUIRE(logs.logs.size() == 1);
  CHECK(logs.clients[0] == "smith, john");
  REQUIRE(logs.logs[0].size() == 2);
  CHECK(logs.logs[0][0].shown[0].document == 2);
  CHECK(logs.logs[0][1].shown.size() == 2);
}

TEST_CASE("A malformed click log is refused with the line and column of the error") {
  std::string const header = "client,qid,docid,position,click,propensity\n";
  auto const refuses = [&](std::string const& line, std::string const& message) {
    CHECK_THROWS_WITH(read(header + "ann,a,x,1,0,1\n" + line + "\n"), "log.csv:3:" + message);
  };
  refuses("ann,q,x,1,0,1", "5: the data has no query 'q'");
  refuses("ann,b,y,1,0,1", "7: the query has no document 'y'");  // a document of the other query
  refuses("ann,a,x,0,0,1", "9: expected a position of 1 to 10000");
  refuses("ann,a,x,-1,0,1", "9: expected a position of 1 to 10000");
  refuses("ann,a,x,1.5,0,1", "9: expected a position of 1 to 10000");
  refuses("ann,a,x,10001,0,1", "9: expected a position of 1 to 10000");
  refuses("ann,a,x,99999999999,0,1", "9: expected a position of 1 to 10000");
  refuses("ann,a,x,1,yes,1", "11: expected 0 or 1");
  refuses("ann,a,x,1,,1", "11: expected 0 or 1");
  for (std::string const p : {"0", "-1", "1.1", "nan", "inf", "0x1", "1e-99", "half"})
    refuses("ann,a,x,1,0," + p, "13: expected a propensity above 0 and at most 1, or nothing");
  refuses(",a,x,1,0,1", "1: expected the name of a client");
  refuses("ann,a,x,1,0", "1: expected 6 fields, got 5");
  refuses("ann,a,x,1,0,1,2", "1: expected 6 fields, got 7");
  refuses("ann,a,x,2,0,1", "7: expected each document once in a list, this one is already in the list");
}

TEST_CASE("A click log whose header lacks a column is refused") {
  CHECK_THROWS_WITH(read(""), "log.csv:1:1: expected a header line with the names of the columns");
  CHECK_THROWS_WITH(read("\n\n"), "log.csv:1:1: expected a header line with the names of the columns");
  CHECK_THROWS_WITH(read("client,qid,docid,position\n"), "log.csv:1:1: expected a column 'click'");
  CHECK_THROWS_WITH(read("client,qid,position,click\n"),
                    "log.csv:1:1: expected either a column 'docid' or a column 'row'");
  CHECK_THROWS_WITH(read("client,qid,position,click,row,docid\n"),
                    "log.csv:1:1: expected either a column 'docid' or a column 'row'");
  CHECK_THROWS_WITH(read("client,qid,position,click,row,qid\n"), "log.csv:1:31: expected each column once");
  auto const nameless = parse_letor("1 qid:a 1:1\n", "data");
  CHECK_THROWS_WITH(parse_click_log("client,qid,docid,position,click\n", "l", nameless),
                    "l:1:12: the data has no docids: expected a column 'row' instead");
  CHECK_THROWS_WITH(parse_click_log("client,qid,row,position,click\na,a,2,1,1\n", "l", nameless),
                    "l:2:5: the query has only 1 documents");
}

TEST_CASE("A click log with a header alone has no clients, and a file is read like a text") {
  CHECK(read("client,qid,docid,position,click\n").logs.empty());
  testing::TemporaryFolder const folder;
  auto const path = folder.path() / "log.csv";
  std::ofstream(path) << "client,qid,docid,position,click\nann,a,x,1,1\n";
  CHECK(read_click_log(path, data()).logs[0].click_count() == 1);
  CHECK_THROWS_AS(read_click_log(folder.path() / "none.csv", data()), std::system_error);
}
