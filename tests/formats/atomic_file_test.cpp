#include <fltr/formats/atomic_file.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using fltr::testing::content_of;

TEST_CASE("A file has its name after the commit, and not before") {
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

TEST_CASE("A symbolic link is followed, a pipe is written directly, and neither is replaced") {
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

TEST_CASE("A file that cannot be written is a std::system_error") {
  CHECK_THROWS_AS(fltr::AtomicFile("/no/such/folder/file"), std::runtime_error);
  if (std::filesystem::is_character_file("/dev/full")) {
    fltr::AtomicFile file("/dev/full");
    file.out() << "x";
    CHECK_THROWS_WITH(file.commit(), ContainsSubstring(std::generic_category().message(ENOSPC)));
    CHECK(std::filesystem::is_character_file("/dev/full"));
  }
}

TEST_CASE("On a full disk the old file is unchanged, and no temporary file remains") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  std::ofstream(path) << "old";
  {
    fltr::testing::FileSizeLimit const full(1000);
    fltr::AtomicFile small(path);
    small.out() << std::string(2000, 'x');  // fails at the commit, when the buffer is written
    CHECK_THROWS_WITH(small.commit(), ContainsSubstring("cannot write " + path.string()));
    fltr::AtomicFile large(path);
    large.out() << std::string(1'000'000, 'x');  // fails at once
    errno = 0;
    try {
      large.commit();
      FAIL("committed");
    } catch (std::system_error const& error) {
      CHECK(error.code() == std::errc::file_too_large);
    }
    fltr::AtomicFile flushed(path);
    flushed.out() << std::string(2000, 'x') << std::flush;
    ::close(-1);  // another reason in errno
    CHECK_THROWS_WITH(flushed.commit(), ContainsSubstring(std::generic_category().message(EFBIG)));
  }
  CHECK(content_of(path) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("finish() completes the temporary file, and commit() renames it") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  std::ofstream(path) << "old";
  {
    fltr::AtomicFile file(path);
    file.out() << "dropped";
    file.finish();
    CHECK(content_of(path) == "old");
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  fltr::AtomicFile beside(path);
  beside.out() << "beside";
  beside.finish();
  beside.finish();
  beside.commit_beside(".new");
  CHECK(content_of(path) == "old");
  CHECK(content_of(folder.path() / "file.new") == "beside");
  fltr::AtomicFile file(path);
  file.out() << "new";
  file.finish();
  file.commit();
  CHECK(content_of(path) == "new");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("Text of any length is written unchanged") {
  fltr::testing::TemporaryFolder const folder;
  std::string expected;
  fltr::AtomicFile file(folder.path() / "file");
  for (std::size_t const length : {1U, 100U, 16'383U, 16'384U, 16'385U, 1U, 50'000U, 7U, 16'000U, 999U}) {
    std::string const text(length, static_cast<char>('a' + length % 26));
    expected += text + '\n';
    file.out() << text << '\n';
    if (length == 7) file.out().flush();
  }
  file.commit();
  CHECK(content_of(folder.path() / "file") == expected);
}

TEST_CASE("The temporary file of another writer is never used") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  // Names that another process, in a container with the same process number, could be using.
  auto const taken = [&](std::uint64_t i) {
    return std::filesystem::path(path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(i) +
                                 ".partial");
  };
  for (std::uint64_t i = 0; i < 1000; ++i) std::ofstream(taken(i)) << "theirs";
  {
    fltr::AtomicFile file(path);
    file.out() << "ours";
    file.commit();
  }
  CHECK(content_of(path) == "ours");
  bool untouched = true;
  for (std::uint64_t i = 0; i < 1000; ++i) untouched = untouched && content_of(taken(i)) == "theirs";
  CHECK(untouched);
}

TEST_CASE("A replaced file keeps its permissions") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "file";
  std::ofstream(path) << "old";
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  fltr::AtomicFile file(path);
  file.out() << "new";
  file.commit();
  CHECK(content_of(path) == "new");
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}
