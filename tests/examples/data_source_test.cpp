#include "support/data_source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/experiment.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

/// Queries of three documents each with two features and grades 0, 1 and `top`, named prefix1, prefix2, …
void write_letor(std::filesystem::path const& path, std::string const& prefix, int queries, int top = 2) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path);
  for (int q = 1; q <= queries; ++q)
    for (int d = 0; d < 3; ++d)
      out << (d == 2 ? top : d) << " qid:" << prefix << q << " 1:" << d * 10 << " 2:" << q << '\n';
}

void write_fold(std::filesystem::path const& folder, int train, int vali, int test) {
  write_letor(folder / "train.txt", "a", train);
  write_letor(folder / "vali.txt", "b", vali);
  write_letor(folder / "test.txt", "c", test);
}

CommonOptions with_data(std::filesystem::path const& path) {
  CommonOptions options;
  options.data = path.string();
  return options;
}

}  // namespace

TEST_CASE("A folder is one fold, normalised by --normalize") {
  fltr::testing::TemporaryFolder folder;
  write_fold(folder.path() / "set", 3, 2, 1);
  auto options = with_data(folder.path() / "set");
  DataSource source(options);
  REQUIRE(source.size() == 1);
  NamedFold const fold = source.load(0);
  CHECK(fold.number == 1);
  CHECK(fold.train.size() == 3);
  CHECK(fold.vali.size() == 2);
  CHECK(fold.test.size() == 1);
  CHECK(fold.train[0].row(1)[0] == 0.5F);  // 10 of 0, 10, 20
  CHECK(fold.train[0].row(1)[1] == 0.0F);  // constant
  CHECK(source.seconds() > 0);

  options.normalize = fltr::Normalization::none;
  auto const as_it_is = DataSource(options).load(0);
  CHECK(as_it_is.train[2].row(1)[1] == 3.0F);
  options.normalize = fltr::Normalization::zscore;
  auto const standardized = DataSource(options).load(0);
  CHECK(standardized.train[1].row(0)[1] == 0.0F);  // 2, the mean of 1, 2, 3

  auto const summary = summary_of(fold);
  CHECK(summary.queries == 6);
  CHECK(summary.documents == 18);
  CHECK(summary.features == 2);
  CHECK(summary.grades == 3);
  CHECK(summary.empty_queries == 0);
}

TEST_CASE("A folder of folds gives all folds in the order of their numbers") {
  fltr::testing::TemporaryFolder folder;
  for (int const number : {2, 10, 1}) write_fold(folder.path() / ("Fold" + std::to_string(number)), number, 1, 1);
  auto const options = with_data(folder.path());
  DataSource source(options);
  REQUIRE(source.size() == 3);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < 3; ++i) {
    NamedFold const fold = source.load(i);
    numbers.push_back(fold.number);
    CHECK(fold.train.size() == fold.number);
  }
  CHECK(numbers == std::vector<std::size_t>{1, 2, 10});
  auto const one = with_data(folder.path() / "Fold10/");
  CHECK(DataSource(one).load(0).number == 10);

  // A fold that lacks a file is found before the first one runs.
  std::filesystem::remove(folder.path() / "Fold10" / "vali.txt");
  CHECK_THROWS_WITH(DataSource(options), ContainsSubstring("vali.txt"));
}

TEST_CASE("A single file is split by query, in the same way for every seed") {
  fltr::testing::TemporaryFolder folder;
  write_letor(folder.path() / "all.txt", "q", 10);
  auto options = with_data(folder.path() / "all.txt");
  options.split = {0.6, 0.2, 0.2};
  NamedFold const fold = DataSource(options).load(0);
  CHECK(fold.train.size() == 6);
  CHECK(fold.vali.size() == 2);
  CHECK(fold.test.size() == 2);
  std::set<std::string> seen;
  for (auto const* part : {&fold.train, &fold.vali, &fold.test})
    for (std::size_t q = 0; q < part->size(); ++q) seen.emplace(part->qid(q));
  CHECK(seen.size() == 10);

  options.seed = 99;
  NamedFold const again = DataSource(options).load(0);
  for (std::size_t q = 0; q < fold.test.size(); ++q) CHECK(again.test.qid(q) == fold.test.qid(q));
}

TEST_CASE("Synthetic sets have names and sizes") {
  CommonOptions options;
  options.data = "synthetic:mq2007:0.02";
  NamedFold const fold = DataSource(options).load(0);
  auto const summary = summary_of(fold);
  CHECK(summary.features == 46);
  CHECK(summary.grades == 3);
  CHECK(summary.queries == 34);  // .02 of 1,692
  CHECK(fold.name == "synthetic:mq2007:0.02");
  CHECK_NOTHROW(require_click_tables(fold));
}

TEST_CASE("Draws of a synthetic set differ; draw 1 is the default") {
  auto const load = [](char const* data) {
    CommonOptions options;
    options.data = data;
    options.normalize = fltr::Normalization::none;
    return DataSource(options).load(0);
  };
  auto const alike = [](NamedFold const& a, NamedFold const& b) {
    return std::ranges::equal(a.train[0].grades(), b.train[0].grades()) &&
           std::ranges::equal(a.train[0].row(0), b.train[0].row(0));
  };
  auto const set = load("synthetic:mq2007:0.02");
  CHECK(alike(set, load("synthetic:mq2007:0.02:1")));
  auto const second = load("synthetic:mq2007:0.02:2");
  CHECK_FALSE(alike(set, second));
  CHECK(alike(second, load("synthetic:mq2007:0.02:2")));
  CHECK_FALSE(alike(second, load("synthetic:mq2007:0.02:3")));
  CHECK(summary_of(second).features == 46);
}

TEST_CASE("A malformed --data is wrong usage, and a missing file is a run-time error") {
  fltr::testing::TemporaryFolder folder;
  write_fold(folder.path() / "set", 1, 1, 1);
  write_letor(folder.path() / "all.txt", "q", 5);
  CommonOptions options;
  for (auto const* data :
       {"synthetic:", "synthetic:mq2009", "synthetic:mslr:", "synthetic:mslr:x", "synthetic:mslr:-1",
        "synthetic:mslr:nan", "synthetic:mslr:1e-9", "synthetic:mslr:1e9", "synthetic:mslr:1:", "synthetic:mslr:1:0",
        "synthetic:mslr:1:x", "synthetic:mslr:1:-2", "synthetic:mslr:1:2:3", "synthetic:mslr:1:4294967296"}) {
    options.data = data;
    CAPTURE(data);
    CHECK_THROWS_AS(DataSource(options), UsageError);
  }
  options = with_data(folder.path() / "all.txt");
  CHECK_THROWS_WITH(DataSource(options), ContainsSubstring("--split .6,.2,.2"));
  CHECK_THROWS_AS(DataSource(options), UsageError);
  options.split = {0.6, 0.2, 0.2};
  CHECK_NOTHROW(DataSource(options));
  options.data = (folder.path() / "set").string();
  CHECK_THROWS_AS(DataSource(options), UsageError);
  options.data = "synthetic:mslr";
  CHECK_THROWS_AS(DataSource(options), UsageError);
  options = with_data(folder.path() / "missing");
  CHECK_THROWS_WITH(DataSource(options), ContainsSubstring("there is no file or folder"));
  options = with_data(folder.path());  // a folder with neither files nor folds
  CHECK_THROWS_AS(DataSource(options), std::runtime_error);
}

TEST_CASE("Click tables exist for 2, 3 and 5 grades") {
  fltr::testing::TemporaryFolder folder;
  write_fold(folder.path(), 2, 1, 1);
  for (int const top : {1, 2, 3, 4, 5}) {
    // Only the test part has the highest grade: the count is of the whole fold.
    write_letor(folder.path() / "train.txt", "a", 2, 1);
    write_letor(folder.path() / "vali.txt", "b", 2, 1);
    write_letor(folder.path() / "test.txt", "c", 2, top);
    auto const options = with_data(folder.path());
    NamedFold const fold = DataSource(options).load(0);
    CHECK(fold.grade_count() == static_cast<std::size_t>(top) + 1);
    if (top == 3 || top == 5)
      CHECK_THROWS_WITH(require_click_tables(fold), ContainsSubstring("needs its own click tables"));
    else
      CHECK_NOTHROW(require_click_tables(fold));
  }
}

TEST_CASE("Every fold is run with every seed") {
  fltr::testing::TemporaryFolder folder;
  write_fold(folder.path() / "Fold1", 2, 1, 1);
  write_fold(folder.path() / "Fold2", 3, 1, 1);
  CommonOptions options{.seed = 7, .repeats = 2, .quiet = true};
  options.data = folder.path().string();
  Program program("sample", "");
  program.common(options);
  Recorder recorder(program, options);
  std::vector<std::pair<std::size_t, std::uint64_t>> runs;
  for_each_run(options, recorder, [&](NamedFold const& fold, Run& run) {
    CHECK(run.fold() == fold.number);
    CHECK(run.number() == runs.size() + 1);
    runs.emplace_back(fold.number, run.seed());
    run.add({.round = 0, .offline = Offline{0.5, 0.5, 0.5}});
  });
  CHECK(runs == std::vector<std::pair<std::size_t, std::uint64_t>>{{1, 7}, {1, 8}, {2, 7}, {2, 8}});
  CHECK(recorder.run_json().at("dataset").at("queries") == 4);
}

TEST_CASE("Parts with the same documents are named, whatever their queries are called") {
  fltr::testing::TemporaryFolder folder;
  auto const said = [&](int train, int vali, int test) {
    write_fold(folder.path() / "set", train, vali, test);
    return DataSource(with_data(folder.path() / "set")).load(0).equal_parts;
  };
  CHECK(said(1, 2, 3).empty());
  CHECK_THAT(said(3, 3, 3), ContainsSubstring("train, vali and test have the same documents"));
  CHECK_THAT(said(3, 2, 3), ContainsSubstring("train and test have the same documents"));
  CHECK_THAT(said(3, 3, 2), ContainsSubstring("train and vali have the same documents"));
  CHECK_THAT(said(2, 3, 3), ContainsSubstring("vali and test have the same documents"));
  // The same number of queries and documents, and one grade differs.
  write_letor(folder.path() / "set" / "train.txt", "a", 3, 1);
  CHECK(DataSource(with_data(folder.path() / "set")).load(0).equal_parts.find("train") == std::string::npos);
}
