#include <fltr/formats/mapped_file.hpp>

#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using fltr::MappedFile;

static_assert(!std::is_copy_constructible_v<MappedFile> && std::is_nothrow_move_constructible_v<MappedFile>);

namespace {

std::string read(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace

TEST_CASE("A mapped file holds the bytes of the file") {
  fltr::testing::TemporaryFolder const folder;
  std::string text(10'000, 'x');
  text[4096] = '\0';
  std::ofstream(folder.path() / "file", std::ios::binary) << text;
  MappedFile const file(folder.path() / "file");
  CHECK(file.text() == text);
  CHECK(reinterpret_cast<std::uintptr_t>(file.bytes().data()) % 64 == 0);
}

TEST_CASE("An empty file has no bytes") {
  fltr::testing::TemporaryFolder const folder;
  std::ofstream(folder.path() / "file").flush();
  MappedFile const file(folder.path() / "file");
  CHECK(file.text().empty());
}

TEST_CASE("A change of the mapped bytes does not change the file") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  std::ofstream(path) << "before";
  MappedFile file(path);
  file.bytes()[0] = std::byte{'B'};
  CHECK(file.text() == "Before");
  CHECK(read(path) == "before");
}

TEST_CASE("A mapped file can be moved, and remains valid when the file is removed") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  std::ofstream(path) << "old";
  MappedFile file(path);
  std::ofstream(folder.path() / "other") << "new";
  std::filesystem::rename(folder.path() / "other", path);
  MappedFile const moved = std::move(file);
  CHECK(moved.text() == "old");
  file = MappedFile(path);
  CHECK(file.text() == "new");
}

TEST_CASE("A pipe is read to its end") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string const text(300'000, 'p');
  std::jthread const writer([&] { std::ofstream(path) << text; });
  MappedFile const file(path);
  CHECK(file.text() == text);
}

TEST_CASE("The error for a file that cannot be read names the file") {
  fltr::testing::TemporaryFolder const folder;
  CHECK_THROWS_AS(MappedFile(folder.path() / "missing"), std::system_error);
  CHECK_THROWS_WITH(MappedFile(folder.path() / "missing"), ContainsSubstring("missing: No such file"));
  CHECK_THROWS_AS(MappedFile(folder.path()), std::system_error);
  CHECK_THROWS_WITH(MappedFile(folder.path()), ContainsSubstring(folder.path().string() + ": Is a directory"));
}
