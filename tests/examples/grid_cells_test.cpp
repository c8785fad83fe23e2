#include "support/grid_cells.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/temporary.hpp"
#include "support/usage_error.hpp"

using namespace fltr::examples;
using fltr::testing::content_of;
using fltr::testing::TemporaryFolder;

namespace {

Json const setting{{"data", "synthetic:mq2007"}, {"rounds", 500}, {"assumed_malicious", nullptr}};

GridKey key(std::uint32_t malicious) {
  return {.fold = 2,
          .seed = 7,
          .clicks = Clicks::informational,
          .defence = {AggregatorKind::krum, MixKind::nnm},
          .attack = AttackKind::min_sum,
          .malicious = malicious,
          .assumed = 3};
}

void put(std::filesystem::path const& file, std::string const& text) { std::ofstream(file, std::ios::binary) << text; }

}  // namespace

TEST_CASE("Finished trainings of a grid are read back bit by bit") {
  TemporaryFolder const folder;
  {
    GridCells cells(folder.path(), setting, false);
    cells.add(key(2), {.ndcg10 = 1.0 / 3, .target_rank = 0.1, .caught = 2, .false_alarms = 0, .alarm_round = 17});
    cells.add(key(1), {.ndcg10 = std::numeric_limits<double>::quiet_NaN()});
  }  // without `finish`, as after kill -9
  GridCells const again(folder.path(), setting, false);
  REQUIRE(again.results().size() == 2);
  GridResult const& two = again.results().at(key(2));
  CHECK(two.ndcg10 == 1.0 / 3);
  CHECK(two.target_rank == 0.1);
  CHECK(two.caught == 2U);
  CHECK(two.false_alarms == 0U);
  CHECK(two.alarm_round == 17U);
  GridResult const& one = again.results().at(key(1));
  CHECK(std::isnan(one.ndcg10));
  CHECK_FALSE(one.target_rank);
  CHECK_FALSE(one.caught);
}

TEST_CASE("finish writes the lines in the order of the trainings, whatever their order of completion") {
  TemporaryFolder const a;
  TemporaryFolder const b;
  for (bool const forwards : {true, false}) {
    GridCells cells(forwards ? a.path() : b.path(), setting, false);
    for (std::uint32_t i = 0; i < 4; ++i) cells.add(key(forwards ? i : 3 - i), {.ndcg10 = 0.5});
    cells.finish();
  }
  CHECK(content_of(a.path() / "grid.csv") == content_of(b.path() / "grid.csv"));
  CHECK_THAT(content_of(a.path() / "grid.csv"), ContainsSubstring("\n2,7,informational,nnm+krum,min-sum,0,3,0.5,,,,,"));
}

TEST_CASE("A torn last line is removed, wherever it is torn") {
  TemporaryFolder const folder;
  auto const file = folder.path() / "grid.csv";
  {
    GridCells cells(folder.path(), setting, false);
    cells.add(key(1), {.ndcg10 = 0.5});
    cells.add(key(2), {.ndcg10 = 0.25});
  }
  std::string const whole = content_of(file);
  std::size_t const second = whole.rfind('\n', whole.size() - 2) + 1;
  std::size_t const first = whole.find('\n') + 1;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(file, whole.substr(0, size));
    {
      GridCells cells(folder.path(), setting, false);
      CHECK(cells.results().size() == (size == whole.size() ? 2U : size >= second ? 1U : 0U));
      cells.add(key(2), {.ndcg10 = 0.25});
      if (size < second) cells.add(key(1), {.ndcg10 = 0.5});
    }
    GridCells const again(folder.path(), setting, false);
    CHECK(again.results().size() == 2);
    CHECK(content_of(file).starts_with(whole.substr(0, first)));
  }
}

TEST_CASE("A grid with other options is refused, and the error names the first difference") {
  TemporaryFolder const folder;
  {
    GridCells cells(folder.path(), setting, false);
    cells.add(key(1), {.ndcg10 = 0.5});
  }
  Json other = setting;
  other["rounds"] = 1000;
  CHECK_THROWS_AS(GridCells(folder.path(), other, false), UsageError);
  CHECK_THROWS_WITH(GridCells(folder.path(), other, false),
                    ContainsSubstring("was trained with --rounds 500, not with --rounds 1000; give the same options"));
  other = setting;
  other["assumed_malicious"] = 2;
  CHECK_THROWS_WITH(GridCells(folder.path(), other, false),
                    ContainsSubstring("with no --assumed-malicious, not with --assumed-malicious 2"));
  other = setting;
  other["data"] = "other";
  CHECK_THROWS_WITH(GridCells(folder.path(), other, false),
                    ContainsSubstring("with --data synthetic:mq2007, not with --data other"));
  CHECK(GridCells(folder.path(), setting, false).results().size() == 1);
  {
    GridCells forced(folder.path(), other, true);
    CHECK(forced.results().empty());
    CHECK(GridCells(folder.path(), setting, false).results().size() == 1);  // the files stay until there are others
    forced.add(key(2), {.ndcg10 = 0.25});
  }
  CHECK(GridCells(folder.path(), other, false).results().size() == 1);
  CHECK(GridCells(folder.path(), other, false).results().contains(key(2)));
  std::filesystem::remove(folder.path() / "grid.json");
  CHECK_THROWS_WITH(GridCells(folder.path(), other, false), ContainsSubstring("has no options in grid.json"));
}

TEST_CASE("A line that is not a training of this grid is an error with its number") {
  TemporaryFolder const folder;
  auto const file = folder.path() / "grid.csv";
  {
    GridCells cells(folder.path(), setting, false);
    cells.add(key(1), {.ndcg10 = 0.5});
  }
  std::string const good = content_of(file);
  auto const changed = [&](std::string const& from, std::string const& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    put(file, text);
    return [&] { GridCells const cells(folder.path(), setting, false); };
  };
  for (auto const& [from, to] : {std::pair<std::string, std::string>{"nnm+krum", "num"},
                                 {"min-sum", "sum"},
                                 {"informational", "random"},
                                 {",0.5,", ",x,"},
                                 {"\n2,7", "\n-2,7"},
                                 {",1,3,", ",1,4294967296,"},
                                 {",1,3,", ",1,"}})
    CHECK_THROWS_WITH(changed(from, to)(), ContainsSubstring("grid.csv, line 2: required the values of fold,seed,"));
  CHECK_THROWS_WITH(changed("fold,seed", "seed,fold")(), ContainsSubstring("line 1: required \"fold,seed,clicks"));
  std::string const mark = good.substr(good.rfind(',') + 1, 12);
  CHECK_THROWS_WITH(changed(mark, "0123456789ab")(), ContainsSubstring("line 2: required the setting " + mark));
}

TEST_CASE("On a full disk no line stays half written, and finished trainings stay in memory") {
  TemporaryFolder const folder;
  GridCells cells(folder.path(), setting, false);
  cells.add(key(1), {.ndcg10 = 0.5});
  std::string const before = content_of(folder.path() / "grid.csv");
  {
    fltr::testing::FileSizeLimit const full(before.size() + 10);
    cells.add(key(2), {.ndcg10 = 0.25});
    CHECK(content_of(folder.path() / "grid.csv") == before);
    CHECK_THROWS_AS(cells.finish(), std::runtime_error);
  }
  cells.add(key(3), {.ndcg10 = 0.125});
  CHECK(GridCells(folder.path(), setting, false).results().size() == 3);
}

TEST_CASE("A grid without a finished training leaves no files") {
  TemporaryFolder const folder;
  {
    GridCells cells(folder.path(), setting, false);
    cells.finish();
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("Without a folder a grid is kept in memory") {
  GridCells cells({}, setting, false);
  cells.add(key(1), {.ndcg10 = 0.5});
  cells.finish();
  CHECK(cells.results().size() == 1);
}
