#include "support/output_folder.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary.hpp"
#include "support/usage_error.hpp"

using namespace fltr::examples;

namespace {

void put(std::filesystem::path const& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "content\n";
}

}  // namespace

TEST_CASE("Result files, .partial and .new files are recognised by their exact names") {
  for (char const* name : {"run.json", "rounds.csv", "queries.csv", "curve.svg", "model.fltr", "model-fold1-seed2.fltr",
                           "grid.csv", "grid.json", "grid-means.csv", "findings.csv", "loss-perfect.svg",
                           "loss-navigational.svg", "loss-informational.svg"}) {
    CHECK(is_result_name(name));
    CHECK_FALSE(is_remnant_name(name));
    CHECK(is_remnant_name(std::string(name) + ".12.0.partial"));
    CHECK(is_remnant_name(std::string(name) + ".new"));
  }
  for (char const* name : {"notes.txt",
                           "my-model.fltr",
                           "run.json.bak",
                           "other.partial",
                           "model.txt",
                           "partial",
                           "",
                           "model-.fltr",
                           "model-mine.fltr",
                           "model-fold1.fltr",
                           "model-fold-seed.fltr",
                           "model-fold1-seed2x.fltr",
                           "rounds.csv.partial",
                           "rounds.csv.1.partial",
                           "rounds.csv.a.0.partial",
                           "rounds.csv.1.0.0.partial",
                           "notes.1.0.partial",
                           ".new",
                           "notes.new",
                           "grid.svg",
                           "loss.svg",
                           "loss-other.svg"}) {
    CHECK_FALSE(is_result_name(name));
    CHECK_FALSE(is_remnant_name(name));
  }
}

TEST_CASE("If run.json lists its files, only the listed files belong to the result") {
  fltr::testing::TemporaryFolder folder;
  for (char const* file : {"model.fltr", "model-fold1-seed1.fltr", "client1/model.fltr", "client2/model.fltr",
                           "client3/model.fltr", "notes.txt", "rounds.csv.7.0.partial"})
    put(folder.path() / file);
  std::ofstream(folder.path() / "run.json")
      << R"({"files": ["model.fltr", "client1/model.fltr", "notes.txt", "../other", "client3/model.fltr", 7]})";
  CHECK(result_files(folder.path()) ==
        std::vector<std::filesystem::path>{"run.json", "client1/model.fltr", "model.fltr", "rounds.csv.7.0.partial"});
  for (char const* older : {"{}", "no JSON", R"({"files": 3})"}) {
    std::ofstream(folder.path() / "run.json") << older;
    CHECK(result_files(folder.path()) ==
          std::vector<std::filesystem::path>{"run.json", "client1/model.fltr", "client2/model.fltr",
                                             "model-fold1-seed1.fltr", "model.fltr", "rounds.csv.7.0.partial"});
  }
}

TEST_CASE("Missing folders are created, and removed again if they stay empty") {
  fltr::testing::TemporaryFolder folder;
  auto const out = folder.path() / "a" / "b";
  {
    OutputFolder held(out, false);
    held.add("client1");
    CHECK(std::filesystem::is_directory(out / "client1"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  {
    OutputFolder held(out, false);
    put(out / "run.json");
  }
  CHECK(std::filesystem::exists(out / "run.json"));
}

TEST_CASE("An existing folder stays, with its files") {
  fltr::testing::TemporaryFolder folder;
  {
    OutputFolder held(folder.path(), false);
  }
  CHECK(std::filesystem::is_directory(folder.path()));
  put(folder.path() / "notes.txt");
  {
    OutputFolder held(folder.path(), false);
  }
  CHECK(std::filesystem::exists(folder.path() / "notes.txt"));
}

TEST_CASE("An earlier result is refused; with force its files are removed unless they were overwritten") {
  fltr::testing::TemporaryFolder folder;
  std::vector<std::string> const earlier{"run.json",
                                         "rounds.csv",
                                         "model-fold1-seed1.fltr",
                                         "client1/queries.csv",
                                         "client2/queries.csv",
                                         "rounds.csv.7.0.partial"};
  for (auto const& file : earlier) put(folder.path() / file);
  put(folder.path() / "notes.txt");
  put(folder.path() / "client2" / "notes.txt");
  CHECK_THROWS_AS(OutputFolder(folder.path(), false), UsageError);
  CHECK_THROWS_WITH(OutputFolder(folder.path(), false),
                    ContainsSubstring("holds the result of an earlier run (run.json, "));
  {
    OutputFolder held(folder.path(), true);
    CHECK(held.has_earlier_result());
    for (auto const& file : earlier) CHECK(std::filesystem::exists(folder.path() / file));  // until there is another
    held.remove_earlier_result({"run.json", "rounds.csv"});
  }
  CHECK(result_files(folder.path()) == std::vector<std::filesystem::path>{"run.json", "rounds.csv"});
  CHECK_FALSE(std::filesystem::exists(folder.path() / "client1"));
  CHECK(std::filesystem::exists(folder.path() / "client2" / "notes.txt"));
  CHECK(std::filesystem::exists(folder.path() / "notes.txt"));
}

TEST_CASE("The error names the files of a killed run") {
  fltr::testing::TemporaryFolder folder;
  put(folder.path() / "rounds.csv.7.0.partial");
  CHECK_THROWS_WITH(OutputFolder(folder.path(), false),
                    ContainsSubstring("holds files of a run that was killed (rounds.csv.7.0.partial)"));
  CHECK_FALSE(OutputFolder(folder.path(), true).has_earlier_result());
}

TEST_CASE("A second run into the same folder is refused") {
  fltr::testing::TemporaryFolder folder;
  std::optional<OutputFolder> first(std::in_place, folder.path(), false);
  CHECK_THROWS_WITH(OutputFolder(folder.path(), false), ContainsSubstring("another run is writing into"));
  CHECK_THROWS_WITH(OutputFolder(folder.path() / ".", true), ContainsSubstring("another run is writing into"));
  first.reset();
  CHECK_NOTHROW(OutputFolder(folder.path(), false));
}

TEST_CASE("A folder that cannot be written is refused with the reason") {
  fltr::testing::TemporaryFolder folder;
  put(folder.path() / "file");
  CHECK_THROWS_WITH(OutputFolder(folder.path() / "file", false),
                    ContainsSubstring("--out: ") && ContainsSubstring("is not a folder"));
  CHECK_THROWS_WITH(OutputFolder("/proc/out", false), ContainsSubstring("--out: cannot make the folder /proc/out: "));
}
