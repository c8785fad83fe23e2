#include <fltr/unlearners/history_file.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/temporary.hpp"

using namespace fltr;
using fltr::testing::content_of;
using fltr::testing::FileSizeLimit;
using fltr::testing::same_bits;
using fltr::testing::TemporaryFolder;

namespace {

ClientHistory some_history() {
  ClientHistory history;
  for (std::uint32_t const round : {1U, 3U, 7U, 9U}) history.add(round, 2, std::vector{static_cast<float>(round)});
  return history;
}

void write(std::filesystem::path const& path, std::string const& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("A history file is read as it was written; its size is that of the records and less than 200 bytes more") {
  TemporaryFolder const folder;
  auto const path = folder.path() / "client-7.history";
  auto const history = some_history();
  write_history(path, {3, 7}, history);
  CHECK(same_bits(read_history(path, {3, 7}), history));
  CHECK(std::filesystem::file_size(path) < history.bytes() + 200);
  write_history(path, {3, 7}, {});
  CHECK(read_history(path, {3, 7}).empty());
}

TEST_CASE("A history file that is cut, too long or has a changed byte is refused with one sentence") {
  TemporaryFolder const folder;
  auto const path = folder.path() / "client-7.history";
  write_history(path, {3, 7}, some_history());
  std::string const whole = content_of(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(path, whole.substr(0, size));
    CHECK_THROWS_AS(read_history(path, {3, 7}), FormatError);
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write(path, damaged);
    CHECK_THROWS_AS(read_history(path, {3, 7}), FormatError);
  }
  write(path, whole + "x");
  CHECK_THROWS_WITH(read_history(path, {3, 7}),
                    ContainsSubstring("client-7.history: the history file is too long: required "));
  write(path, whole.substr(0, whole.size() - 1));
  CHECK_THROWS_WITH(read_history(path, {3, 7}),
                    ContainsSubstring("client-7.history: the history file is cut short: required "));
  std::string damaged = whole;
  damaged.back() = '\x7f';
  write(path, damaged);
  CHECK_THROWS_WITH(read_history(path, {3, 7}), path.string() + ": the history file is damaged: its checksum differs");
}

TEST_CASE("The history of another client or run is refused; a missing file is an error") {
  TemporaryFolder const folder;
  auto const path = folder.path() / "client-7.history";
  write_history(path, {3, 7}, some_history());
  CHECK_THROWS_WITH(read_history(path, {3, 8}),
                    path.string() + ": required the history of client 8 in run 3, got that of client 7 in run 3");
  CHECK_THROWS_AS(read_history(path, {4, 7}), FormatError);
  CHECK_THROWS_AS(read_history(folder.path() / "client-9.history", {3, 9}), std::system_error);
}

TEST_CASE("Only the owner may read a history file, also if it replaces a file that others may read") {
  using std::filesystem::perms;
  TemporaryFolder const folder;
  auto const path = folder.path() / "client-7.history";
  write_history(path, {3, 7}, some_history());
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write | perms::group_read | perms::others_read);
  write_history(path, {3, 7}, some_history());
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE("If a history cannot be written, the earlier file stays") {
  TemporaryFolder const folder;
  auto const path = folder.path() / "client-7.history";
  write_history(path, {3, 7}, some_history());
  auto longer = some_history();
  for (std::uint32_t k = 0; k < 100; ++k) longer.add(11 + 2 * k, 2, std::vector{0.0F});
  {
    FileSizeLimit const full_disk(200);
    CHECK_THROWS_AS(write_history(path, {3, 7}, longer), std::system_error);
  }
  CHECK(same_bits(read_history(path, {3, 7}), some_history()));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);  // no .partial file
}
