#include "support/output_paths.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary.hpp"
#include "support/usage_error.hpp"

using namespace fltr::examples;

namespace {

struct Files {
  Files() {
    std::ofstream(at("a")) << "a\n";
    std::ofstream(at("b")) << "b\n";
    std::filesystem::create_symlink(at("a"), at("link"));
    std::filesystem::create_hard_link(at("a"), at("hard"));
    std::filesystem::create_directories(at("data/Fold1"));
    for (char const* file : {"data/Fold1/train.txt", "data/Fold1/vali.txt", "data/Fold1/test.txt", "set1.train.txt",
                             "set1.valid.txt", "set1.test.txt"})
      std::ofstream(at(file)) << "1 qid:1 1:1\n";
  }
  [[nodiscard]] std::filesystem::path at(char const* name) const { return folder.path() / name; }
  fltr::testing::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("files are the same by path and through links") {
  Files const files;
  for (char const* name : {"a", "link", "hard", "data/../a"}) CHECK(same_file(files.at("a"), files.at(name)));
  CHECK_FALSE(same_file(files.at("a"), files.at("b")));
  CHECK_FALSE(same_file(files.at("a"), files.at("new")));
  CHECK(same_file(files.at("new"), files.at("data/../new")));
  CHECK_FALSE(same_file(files.at("new"), files.at("newer")));
  CHECK_FALSE(same_file("/dev/null", "/dev/null"));  // several outputs may write there
}

TEST_CASE("data_files lists the files of the folds of --data") {
  Files const files;
  auto const names = [&](char const* data) {
    std::vector<std::string> found;
    for (auto const& file : data_files(files.at(data).string()))
      found.push_back(std::filesystem::relative(file, files.folder.path()).string());
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(names("data") == Names{"data/Fold1/train.txt", "data/Fold1/vali.txt", "data/Fold1/test.txt"});
  CHECK(names("data/Fold1") == names("data"));
  CHECK(names("set1") == Names{"set1.train.txt", "set1.valid.txt", "set1.test.txt"});
  CHECK(names("a") == Names{"a"});
  CHECK(names("missing").empty());
  CHECK(data_files("synthetic:mq2007").empty());
}

TEST_CASE("an output that would overwrite an input or another output is refused") {
  Files const files;
  auto const refuses = [](std::vector<NamedPath> const& inputs, std::vector<NamedPath> const& outputs) {
    try {
      require_distinct(inputs, outputs);
      return false;
    } catch (UsageError const&) {
      return true;
    }
  };
  CHECK(refuses({{"MODEL", files.at("a")}}, {{"--scores", files.at("link")}}));
  CHECK(refuses({}, {{"--run", files.at("a")}, {"--qrels", files.at("hard")}}));
  CHECK(refuses({}, {{"--run", files.at("new")}, {"--qrels", files.at("new")}}));
  CHECK_FALSE(refuses({{"MODEL", files.at("a")}}, {{"--scores", files.at("b")}, {"--run", files.at("new")}}));
  CHECK_FALSE(refuses({}, {{"--run", "/dev/null"}, {"--qrels", "/dev/null"}}));
  CHECK_THROWS_WITH(
      require_distinct(std::vector<NamedPath>{{"MODEL", files.at("a")}},
                       std::vector<NamedPath>{{"--scores", files.at("a")}}),
      ContainsSubstring("--scores would overwrite ") && ContainsSubstring(", which MODEL reads; give another file"));
}

TEST_CASE("an output that cannot be written is refused before the work starts") {
  Files const files;
  CHECK_NOTHROW(require_writable({"--run", files.at("new")}));
  CHECK_NOTHROW(require_writable({"--run", files.at("a")}));
  CHECK_NOTHROW(require_writable({"--run", "/dev/null"}));
  CHECK_THROWS_AS(require_writable({"--run", files.at("data")}), UsageError);
  CHECK_THROWS_WITH(require_writable({"--run", files.at("missing/new")}),
                    ContainsSubstring("--run: cannot write ") && ContainsSubstring("there is no folder "));
  CHECK_THROWS_WITH(require_writable({"--run", files.at("a/new")}), ContainsSubstring("is not a folder"));
  CHECK_THROWS_WITH(require_writable({"--run", "/proc/new"}),
                    ContainsSubstring("cannot write into the folder /proc: "));
  CHECK_NOTHROW(require_writable_folder_at({"--out", files.at("new/and/newer")}));
  CHECK_THROWS_AS(require_writable_folder_at({"--out", files.at("a/new")}), UsageError);
  CHECK_THROWS_WITH(require_writable_folder_at({"--out", "/proc/new/and/newer"}),
                    ContainsSubstring("--out: cannot write into"));
  CHECK_FALSE(std::filesystem::exists(files.at("new")));
}
