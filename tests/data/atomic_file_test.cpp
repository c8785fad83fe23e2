#include <fltr/data/atomic_file.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "support/catch.hpp"
#include "support/temporary.hpp"

namespace {

std::string content_of(std::filesystem::path const& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a file appears with its commit, and not before") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  {
    fltr::AtomicFile file(path);
    file.out() << "half";
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  fltr::AtomicFile file(path);
  file.out() << "whole";
  CHECK_FALSE(std::filesystem::exists(path));
  file.commit();
  CHECK(content_of(path) == "whole");
}

TEST_CASE("a link is followed, a pipe is written to, and neither is replaced") {
  fltr::testing::TemporaryFolder const folder;
  std::ofstream(folder.path() / "target") << "old";
  std::filesystem::create_symlink(folder.path() / "target", folder.path() / "link");
  fltr::AtomicFile through(folder.path() / "link");
  through.out() << "new";
  through.commit();
  CHECK(std::filesystem::is_symlink(folder.path() / "link"));
  CHECK(content_of(folder.path() / "target") == "new");

  auto const pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = content_of(pipe); });
  {
    fltr::AtomicFile file(pipe);
    file.out() << "flow";
    file.commit();
  }
  reader.join();
  CHECK(read == "flow");
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("what cannot be written is an error") {
  CHECK_THROWS_AS(fltr::AtomicFile("/no/such/folder/file"), std::runtime_error);
  if (std::filesystem::is_character_file("/dev/full")) {
    fltr::AtomicFile file("/dev/full");
    file.out() << "x";
    CHECK_THROWS_AS(file.commit(), std::runtime_error);
    CHECK(std::filesystem::is_character_file("/dev/full"));
  }
}
