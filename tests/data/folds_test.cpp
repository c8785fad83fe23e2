#include <fltr/data/folds.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

using fltr::Dataset;
using fltr::Fold;
using fltr::parse_letor;
using fltr::read_letor_fold;
using fltr::split_by_query;
using fltr::testing::same_dataset;
using fltr::testing::TemporaryFolder;

namespace {

std::string const train = "1 qid:1 1:1 2:2\n0 qid:1 1:3\n";
std::string const vali = "0 qid:2 9:9\n";
std::string const test = "2 qid:3 1:5\n";

void put(std::filesystem::path const& path, std::string const& text) { std::ofstream(path) << text; }

bool is_expected(Fold const& fold) {
  return same_dataset(fold.train, parse_letor(train, "x", {.feature_count = 9})) &&
         same_dataset(fold.vali, parse_letor(vali, "x", {.feature_count = 9})) &&
         same_dataset(fold.test, parse_letor(test, "x", {.feature_count = 9}));
}

std::vector<std::string> qids(Dataset const& data) {
  std::vector<std::string> names;
  for (std::size_t q = 0; q < data.size(); ++q) names.emplace_back(data.qid(q));
  return names;
}

}  // namespace

TEST_CASE("a fold is read under the names of LETOR and of Yahoo, as wide as its widest file") {
  for (auto const& names : {std::array{"train.txt", "vali.txt", "test.txt"},
                            std::array{"set1.train.txt", "set1.valid.txt", "set1.test.txt"},
                            std::array{"set2.train.txt", "set2.valid.txt", "set2.test.txt"}}) {
    TemporaryFolder const folder;
    put(folder.path() / names[0], train);
    put(folder.path() / names[1], vali);
    put(folder.path() / names[2], test);
    CHECK(is_expected(read_letor_fold(folder.path())));
  }
}

TEST_CASE("one of two sets in a folder is chosen by its name") {
  TemporaryFolder const folder;
  for (std::string const set : {"set1", "set2"}) {
    put(folder.path() / (set + ".train.txt"), set == "set2" ? train : "0 qid:other 1:1\n");
    put(folder.path() / (set + ".valid.txt"), vali);
    put(folder.path() / (set + ".test.txt"), test);
  }
  CHECK(is_expected(read_letor_fold(folder.path() / "set2")));
  CHECK(read_letor_fold(folder.path() / "set1").train.qid(0) == "other");
  CHECK(read_letor_fold(folder.path()).train.qid(0) == "other");
}

TEST_CASE("a fold with a cache is the same fold") {
  TemporaryFolder const folder;
  put(folder.path() / "train.txt", train);
  put(folder.path() / "vali.txt", vali);
  put(folder.path() / "test.txt", test);
  auto const cache = folder.path() / "cache";
  CHECK(is_expected(read_letor_fold(folder.path(), {}, cache)));
  CHECK(std::distance(std::filesystem::directory_iterator(cache), {}) == 3);
  CHECK(is_expected(read_letor_fold(folder.path(), {}, cache)));
}

TEST_CASE("the options reach the files of a fold") {
  TemporaryFolder const folder;
  put(folder.path() / "train.txt", "1 qid:1 0:1\n");
  put(folder.path() / "vali.txt", vali);
  put(folder.path() / "test.txt", test);
  CHECK_THROWS_AS(read_letor_fold(folder.path()), fltr::ParseError);
  CHECK(read_letor_fold(folder.path(), {.index_base = 0}).train.feature_count() == 10);
  CHECK(read_letor_fold(folder.path(), {.index_base = 0, .feature_count = 12}).train.feature_count() == 12);
}

TEST_CASE("a missing fold is an error that says what was looked for") {
  TemporaryFolder const folder;
  CHECK_THROWS_WITH(read_letor_fold(folder.path()),
                    folder.path().string() +
                        ": found no fold; looked for train.txt, vali.txt and test.txt, and for set1.train.txt, "
                        "set1.valid.txt and set1.test.txt (or set2)");
  CHECK_THROWS_WITH(read_letor_fold(folder.path() / "missing"), ContainsSubstring("missing: found no fold"));
  put(folder.path() / "train.txt", train);
  put(folder.path() / "test.txt", test);
  CHECK_THROWS_WITH(read_letor_fold(folder.path()), ContainsSubstring("; vali.txt is missing"));
}

TEST_CASE("folders of folds are listed by number") {
  TemporaryFolder const folder;
  for (char const* name : {"Fold10", "Fold2", "Fold1", "Fold", "Folder3", "Fold4x", "Fold-5", "other"})
    std::filesystem::create_directory(folder.path() / name);
  put(folder.path() / "Fold3", "a file");
  CHECK(fltr::fold_folders(folder.path()) ==
        std::vector{folder.path() / "Fold1", folder.path() / "Fold2", folder.path() / "Fold10"});
  CHECK(fltr::fold_folders(folder.path() / "other").empty());
  CHECK_THROWS_AS(fltr::fold_folders(folder.path() / "missing"), std::filesystem::filesystem_error);
}

TEST_CASE("a split gives each query to one part, whole and in order") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 100, .features = 9});
  auto const fold = split_by_query(data, {.6, .2, .2}, 7);
  CHECK(fold.train.size() == 60);
  CHECK(fold.vali.size() == 20);
  CHECK(fold.test.size() == 20);
  std::set<std::string> all;
  for (auto const* part : {&fold.train, &fold.vali, &fold.test}) {
    std::size_t before = 0;
    for (std::size_t q = 0; q < part->size(); ++q) {
      std::size_t const number = std::stoul(std::string(part->qid(q)));
      CHECK(number > before);
      before = number;
      all.insert(std::string(part->qid(q)));
      auto const chosen = std::vector{static_cast<std::uint32_t>(number - 1)};
      auto const here = std::vector{static_cast<std::uint32_t>(q)};
      CHECK(same_dataset(select_queries(data, chosen), select_queries(*part, here)));
    }
  }
  CHECK(all.size() == 100);
}

TEST_CASE("a split depends on the seed alone, and on no other stream") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 100});
  auto const names = qids(split_by_query(data, {.6, .2, .2}, 7).test);
  CHECK(qids(split_by_query(data, {.6, .2, .2}, 7).test) == names);
  CHECK(qids(split_by_query(data, {3, 1, 1}, 7).test) == names);  // shares, not sums to 1
  CHECK(qids(split_by_query(data, {.6, .2, .2}, 8).test) != names);
  // The order is that of Purpose::partition: a change would break every published split.
  std::vector<std::uint32_t> order(100);
  std::iota(order.begin(), order.end(), 1U);
  auto stream = fltr::Streams{.seed = 7}.of(fltr::Purpose::partition);
  stream.shuffle(std::span(order));
  std::vector<std::uint32_t> last(order.end() - 20, order.end());
  std::ranges::sort(last);
  std::vector<std::string> expected;
  for (auto const number : last) expected.push_back(std::to_string(number));
  CHECK(names == expected);
}

TEST_CASE("shares are rounded so that all queries are used") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 7});
  auto const fold = split_by_query(data, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1);
  CHECK(fold.train.size() == 2);  // 2.33, 4.67, 7
  CHECK(fold.vali.size() == 3);
  CHECK(fold.test.size() == 2);
  auto const two = split_by_query(data, {.8, 0, .2}, 1);
  CHECK(two.train.size() == 6);
  CHECK(two.vali.size() == 0);
  CHECK(two.vali.feature_count() == data.feature_count());
  CHECK(two.test.size() == 1);
}

TEST_CASE("splits that make no sense are refused") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 7});
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  for (auto const& parts : {std::array{-.1, .6, .5}, std::array{nan, .5, .5}, std::array{0., 0., 0.},
                            std::array{std::numeric_limits<double>::infinity(), 0., 0.}, std::array{.98, .01, .01}})
    CHECK_THROWS_AS(split_by_query(data, parts, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_query(Dataset(), {.6, .2, .2}, 1), std::invalid_argument);
}

TEST_CASE("the clamped values of a fold are those of its three files") {
  fltr::testing::TemporaryFolder const folder;
  for (char const* const name : {"train.txt", "vali.txt", "test.txt"})
    std::ofstream(folder.path() / name) << "1 qid:1 1:1e7\n";
  fltr::LetorReport report;
  static_cast<void>(fltr::read_letor_fold(folder.path(), {}, {}, &report));
  CHECK(report.clamped == 3);
}
