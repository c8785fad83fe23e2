#include "support/data_hash.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

std::string hash_of(std::filesystem::path const& data) {
  DataHash hash;
  hash.add(data.string());
  return hash.hex();
}

}  // namespace

TEST_CASE("The data hash depends on the contents of all files of a fold, and not on their path") {
  fltr::testing::TemporaryFolder folder;
  for (char const* fold : {"a", "b"}) {
    std::filesystem::create_directory(folder.path() / fold);
    for (char const* file : {"train.txt", "vali.txt", "test.txt"})
      std::ofstream(folder.path() / fold / file) << "1 qid:1 1:0.5\n";
  }
  auto const same = hash_of(folder.path() / "a");
  CHECK(same.size() == 32);
  CHECK(same == hash_of(folder.path() / "b"));
  std::ofstream(folder.path() / "b" / "vali.txt") << "1 qid:1 1:0.25\n";
  CHECK(same != hash_of(folder.path() / "b"));
  CHECK(hash_of(folder.path() / "a" / "train.txt") == hash_of(folder.path() / "b" / "train.txt"));
  CHECK(hash_of(folder.path() / "a" / "train.txt") != same);
}

TEST_CASE("A synthetic set has no data hash, and its name is not made absolute") {
  CHECK(hash_of("synthetic:mq2007:0.1").empty());
  CHECK(absolute_data_path("synthetic:mq2007:0.1") == "synthetic:mq2007:0.1");
  CHECK(absolute_data_path("x/../y") == (std::filesystem::current_path() / "y").string());
}
