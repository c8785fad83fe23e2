#include <fltr/formats/letor_folds.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fltr/data/fold.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

using fltr::Fold;
using fltr::parse_letor;
using fltr::read_letor_fold;
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

}  // namespace

TEST_CASE("A fold is read under the file names of LETOR and of Yahoo, with the features of its widest file") {
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

TEST_CASE("One of two Yahoo sets in a folder is chosen by its name") {
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

TEST_CASE("A fold read with a cache equals the fold read without") {
  TemporaryFolder const folder;
  put(folder.path() / "train.txt", train);
  put(folder.path() / "vali.txt", vali);
  put(folder.path() / "test.txt", test);
  auto const cache = folder.path() / "cache";
  CHECK(is_expected(read_letor_fold(folder.path(), {}, cache)));
  CHECK(std::distance(std::filesystem::directory_iterator(cache), {}) == 3);
  CHECK(is_expected(read_letor_fold(folder.path(), {}, cache)));
}

TEST_CASE("LetorOptions apply to all files of a fold") {
  TemporaryFolder const folder;
  put(folder.path() / "train.txt", "1 qid:1 0:1\n");
  put(folder.path() / "vali.txt", vali);
  put(folder.path() / "test.txt", test);
  CHECK_THROWS_AS(read_letor_fold(folder.path()), fltr::ParseError);
  CHECK(read_letor_fold(folder.path(), {.index_base = 0}).train.feature_count() == 10);
  CHECK(read_letor_fold(folder.path(), {.index_base = 0, .feature_count = 12}).train.feature_count() == 12);
}

TEST_CASE("The error for a missing fold names the required files") {
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

TEST_CASE("Folders of folds are listed in the order of their numbers") {
  TemporaryFolder const folder;
  for (char const* name : {"Fold10", "Fold2", "Fold1", "Fold", "Folder3", "Fold4x", "Fold-5", "other"})
    std::filesystem::create_directory(folder.path() / name);
  put(folder.path() / "Fold3", "a file");
  CHECK(fltr::fold_folders(folder.path()) ==
        std::vector{folder.path() / "Fold1", folder.path() / "Fold2", folder.path() / "Fold10"});
  CHECK(fltr::fold_folders(folder.path() / "other").empty());
  CHECK_THROWS_AS(fltr::fold_folders(folder.path() / "missing"), std::system_error);
}

TEST_CASE("The number of clamped values of a fold is the sum over its three files") {
  fltr::testing::TemporaryFolder const folder;
  for (char const* const name : {"train.txt", "vali.txt", "test.txt"})
    std::ofstream(folder.path() / name) << "1 qid:1 1:1e7\n";
  fltr::LetorReport report;
  static_cast<void>(fltr::read_letor_fold(folder.path(), {}, {}, &report));
  CHECK(report.clamped == 3);
}

TEST_CASE("Compressed files are named in the error, with what to do") {
  TemporaryFolder const folder;
  put(folder.path() / "train.txt.gz", "\x1f\x8b\x08");
  put(folder.path() / "vali.txt", "1 qid:1 1:1\n");
  put(folder.path() / "test.txt", "1 qid:1 1:1\n");
  CHECK_THROWS_WITH(fltr::read_letor_fold(folder.path()),
                    Catch::Contains("unpack " + (folder.path() / "train.txt.gz").string() + " with gunzip"));
  CHECK_THROWS_WITH(fltr::read_letor(folder.path() / "train.txt.gz"),
                    Catch::Contains("train.txt.gz: required text, got a file that is compressed with gzip"));
}
