#include <fltr/formats/trec.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fltr/core/tensor.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

TEST_CASE("A TREC run has strictly decreasing scores, ties in the order of the rows, and stable document names") {
  fltr::Matrix<float> rows({5, 1});
  std::vector<float> const values{0.5F, 0.5F, 0.75F, 0.5F, -1.0F};
  std::copy(values.begin(), values.end(), rows.data());
  std::vector<fltr::Grade> const grades{0, 1, 2, 0, 1};
  std::vector<std::size_t> const sizes{4, 1};
  auto const data = fltr::make_dataset(rows, grades, sizes);
  std::ostringstream run;
  fltr::write_trec_run(run, data, fltr::LinearRanker(std::vector<float>{1.0F}), "tag");
  std::ostringstream given;
  fltr::write_trec_run(given, data, values, "tag");  // the scores themselves
  CHECK(given.str() == run.str());
  CHECK_THROWS_WITH(fltr::write_trec_run(given, data, std::span(values).first(4)),
                    ContainsSubstring("required 5 scores, one per document, got 4"));
  std::istringstream lines(run.str());
  std::string qid, q0, docno, tag;
  int rank = 0;
  double score = 0;
  std::vector<std::string> order;
  std::string last_qid;
  double last = 0;
  while (lines >> qid >> q0 >> docno >> rank >> score >> tag) {
    if (qid != last_qid) last = std::numeric_limits<double>::infinity();
    CHECK(static_cast<float>(score) < static_cast<float>(last));
    CHECK(q0 == "Q0");
    CHECK(tag == "tag");
    last = score;
    last_qid = qid;
    order.push_back(docno);
  }
  CHECK(order == std::vector<std::string>{"1-3", "1-1", "1-2", "1-4", "2-1"});
  std::ostringstream qrels;
  fltr::write_trec_qrels(qrels, data);
  CHECK(qrels.str() == "1 0 1-1 0\n1 0 1-2 1\n1 0 1-3 2\n1 0 1-4 0\n2 0 2-1 1\n");
}
