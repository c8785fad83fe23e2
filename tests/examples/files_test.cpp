#include "support/files.hpp"

#include <sys/resource.h>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"
#include "support/temporary.hpp"

using namespace fltr::examples;

namespace {

/// While it exists, no file can grow beyond a number of bytes, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(FullDisk const&) = delete;
  FullDisk& operator=(FullDisk const&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

std::string read(std::filesystem::path const& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("A growing file is written as soon as the full disk has space again") {
  fltr::testing::TemporaryFolder folder;
  auto const path = folder.path() / "rows";
  GrowingFile file(path);
  std::string const rows(10'000, 'x');
  {
    FullDisk const disk(100);
    file.append(rows);
    file.flush();
    CHECK(std::filesystem::is_empty(folder.path()));  // the disk space is free again
  }
  file.append("last\n");
  file.commit();
  CHECK(read(path) == rows + "last\n");
}

TEST_CASE("If a growing file cannot be written, the old file stays and no temporary file remains") {
  fltr::testing::TemporaryFolder folder;
  auto const path = folder.path() / "rows";
  std::ofstream(path) << "old\n";
  GrowingFile file(path);
  FullDisk const disk(100);
  file.append(std::string(10'000, 'x'));
  CHECK_THROWS_WITH(file.commit(), ContainsSubstring("cannot write " + path.string()));
  CHECK(read(path) == "old\n");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("The errors of all output files are reported together") {
  OutputErrors errors;
  CHECK_NOTHROW(errors.finish());
  CHECK(errors.attempt([] {}));
  CHECK_FALSE(errors.attempt([] { throw std::runtime_error("cannot write a"); }));
  CHECK_THROWS_WITH(errors.finish(),
                    Catch::Matchers::Equals("the results are complete, but a file is missing: cannot write a"));
  CHECK_FALSE(errors.attempt([] { throw std::runtime_error("cannot write b"); }));
  CHECK_THROWS_WITH(
      errors.finish(),
      Catch::Matchers::Equals("the results are complete, but files are missing: cannot write a; cannot write b"));
}
