#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include <fltr/formats/letor_folds.hpp>

#include "support/catch.hpp"
#include "support/real_data.hpp"

TEST_CASE("MQ2008 has 784 queries and 15,211 documents") {
  auto const folder = fltr::testing::real_data("MQ2008");
  if (folder.empty()) return;
  auto const folds = fltr::fold_folders(folder);
  REQUIRE(folds.size() == 5);
  std::size_t queries = 0;
  std::size_t documents = 0;
  std::set<std::string> names;
  for (auto const& path : folds) {
    auto const fold = fltr::read_letor_fold(path);
    CHECK(fold.test.feature_count() == 46);
    CHECK(fold.test.grade_count() == 3);
    CHECK(fold.train.size() + fold.vali.size() + fold.test.size() == 784);
    queries += fold.test.size();
    documents += fold.test.document_count();
    for (std::size_t q = 0; q < fold.test.size(); ++q) names.emplace(fold.test.qid(q));
    CHECK(std::ranges::all_of(fold.test.parts().features.span(), [](float x) { return x >= 0.0F && x <= 1.0F; }));
  }
  CHECK(queries == 784);
  CHECK(documents == 15'211);
  CHECK(names.size() == 784);
}
