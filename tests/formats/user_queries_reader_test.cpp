#include <fltr/formats/user_queries_reader.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using fltr::Dataset;
using fltr::parse_user_queries;
using fltr::TimeOrder;

namespace {

Dataset documents() {
  return fltr::parse_letor("1 qid:0 1:1\n0 qid:0 1:2\n1 qid:1 1:3\n1 qid:2 1:3\n0 qid:3 1:3\n", "letor.txt");
}

// As in AOL4FOLTR: sorted by time, a list of documents in the last column.
std::string const metadata =
    "qid,user_id,timestamp,query,target_doc_id,candidate_doc_ids\n"
    "2,142,2006-03-01 07:17:12,rent direct,d1,\"{'d1', 'd2'}\"\n"
    "7,217,2006-03-01 07:17:13,\"a, b\",d1,\"{'d1', 'd3'}\"\n"
    "0,217,2006-03-01 07:17:14,lottery,d2,\"{'d1', 'd2'}\"\n"
    "1,142,2006-03-02 06:00:00,westchester,d2,\"{'d1', 'd2'}\"\n"
    "3,142,2006-03-02 06:00:00,space.com,d2,\"{'d1', 'd2'}\"\n";

using Numbers = std::vector<std::vector<std::uint32_t>>;

}  // namespace

TEST_CASE("Users and their queries are joined with the data by qid, in the order of time") {
  auto const log = parse_user_queries(metadata, "metadata.csv", documents());
  CHECK(log.users == std::vector<std::string>{"142", "217"});
  CHECK(log.queries == Numbers{{2, 1, 3}, {0}});
  CHECK(log.ignored == 1);  // qid 7
}

TEST_CASE("read_user_queries reads a file") {
  fltr::testing::TemporaryFolder const folder;
  std::ofstream(folder.path() / "metadata.csv") << metadata;
  CHECK(fltr::read_user_queries(folder.path() / "metadata.csv", documents()).users.size() == 2);
  CHECK_THROWS_AS(fltr::read_user_queries(folder.path() / "none.csv", documents()), std::system_error);
}

TEST_CASE("Times that are not sorted are an error, or sorted on request") {
  std::string const text = "user_id,timestamp,qid\na,5,0\nb,1,1\na,3,2\na,3,3\n";
  CHECK_THROWS_WITH(parse_user_queries(text, "m.csv", documents()),
                    "m.csv:4:3: expected a time that is not before the time of the user's line above");
  auto const log = parse_user_queries(text, "m.csv", documents(), TimeOrder::sort);
  CHECK(log.queries == Numbers{{2, 3, 0}, {1}});
}

TEST_CASE("Errors in metadata name file, line and column") {
  auto const data = documents();
  auto const fails = [&](std::string const& text, std::string const& message) {
    CHECK_THROWS_WITH(parse_user_queries(text, "m.csv", data), message);
  };
  fails("", "m.csv:1:1: expected a header line with the names of the columns");
  fails("qid,user,timestamp\n", "m.csv:1:1: expected a column 'user_id'");
  fails("user_id,timestamp\n", "m.csv:1:1: expected a column 'qid'");
  fails("qid,user_id\n", "m.csv:1:1: expected a column 'timestamp'");
  fails("qid,user_id,timestamp,qid\n", "m.csv:1:23: expected each column once");
  fails("qid,user_id,timestamp\n0,a,1,2\n", "m.csv:2:1: expected 3 fields, got 4");
  fails("qid,user_id,timestamp\n0,,1\n", "m.csv:2:3: expected the name of a user");
  fails("qid,user_id,timestamp\n0,a,noon\n", "m.csv:2:5: expected a time such as 2006-03-01 07:17:12, or an integer");
  fails("qid,user_id,timestamp\n0,a,1\n1,a,1\n0,b,1\n",
        "m.csv:4:1: expected each qid once, this one is also in line 2");
  fails("qid,user_id,timestamp\n0,a,1\n3,b,1\n",
        "read_user_queries: required a line in m.csv for each qid of the data, got none for 2 of 4 qids, first '1'");
}

TEST_CASE("Data in which a qid occurs twice cannot be joined") {
  fltr::DatasetParts parts = documents().release();
  parts.qids = {};
  for (char const* const qid : {"0", "1", "0", "3"}) parts.qids.push_back(qid);
  Dataset const data(std::move(parts));
  CHECK_THROWS_WITH(parse_user_queries(metadata, "m.csv", data),
                    "read_user_queries: required data in which each qid occurs once, got qid '0' twice");
}
