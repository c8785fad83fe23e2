#include <fltr/formats/letor_cache.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

using fltr::Dataset;
using fltr::LetorOptions;
using fltr::parse_letor;
using fltr::read_letor_cached;
using fltr::testing::same_dataset;

namespace {

std::string const text = "2 qid:7 1:0.5 9:-1 #docid = D1\n0 qid:7 3:4\n1 qid:x 2:0.25\n";

void put(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return std::move(bytes).str();
}

std::vector<std::filesystem::path> files_in(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

struct Place {
  fltr::testing::TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "train.txt";
  std::filesystem::path cache = folder.path() / "new" / "cache";

  explicit Place(std::string const& content = text) { put(file, content); }
  Dataset read(LetorOptions const& options = {}) const { return read_letor_cached(file, options, cache); }
};

}  // namespace

TEST_CASE("The first reading writes the cache, the second uses it") {
  Place const place;
  CHECK(same_dataset(place.read(), parse_letor(text, "x")));
  auto const files = files_in(place.cache);
  REQUIRE(files.size() == 1);
  CHECK(files[0].extension() == ".fltrcache");
  CHECK(same_dataset(place.read(), parse_letor(text, "x")));
  CHECK(files_in(place.cache) == files);

  // Something else under the same key shows that the text is not parsed again.
  auto const other = parse_letor("4 qid:other 1:1\n", "x");
  fltr::detail::write_dataset_cache(other, files[0], fltr::detail::letor_cache_key(std::as_bytes(std::span(text)), {}));
  CHECK(same_dataset(place.read(), other));
}

TEST_CASE("The cache key depends on the content and on the options that change the Dataset") {
  Place const place;
  (void)place.read();
  auto const count = [&] { return files_in(place.cache).size(); };
  (void)place.read({.threads = 3, .chunk_bytes = 5});
  CHECK(count() == 1);
  std::filesystem::copy_file(place.file, place.folder.path() / "copy.txt");
  (void)read_letor_cached(place.folder.path() / "copy.txt", {}, place.cache);
  CHECK(count() == 1);
  std::size_t expected = 1;
  for (LetorOptions const& options :
       {LetorOptions{.index_base = 0}, LetorOptions{.feature_count = 10},
        LetorOptions{.returning_qid = fltr::ReturningQid::merge}, LetorOptions{.huge_values = fltr::HugeValues::reject},
        LetorOptions{.clamp_to = 10}, LetorOptions{.feature_limit = 99}}) {
    CHECK(same_dataset(place.read(options), parse_letor(text, "x", options)));
    CHECK(count() == ++expected);
  }
  std::string changed = text;
  changed[10] = '6';
  put(place.file, changed);
  CHECK(same_dataset(place.read(), parse_letor(changed, "x")));
  CHECK(count() == ++expected);
}

TEST_CASE("A damaged cache is written again") {
  Place const place;
  (void)place.read();
  auto const file = files_in(place.cache).at(0);
  std::string const good = bytes_of(file);
  auto const expected = parse_letor(text, "x");
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    put(file, bad);
    REQUIRE(same_dataset(place.read(), expected));
    REQUIRE(bytes_of(file) == good);
    put(file, good.substr(0, i));
    REQUIRE(same_dataset(place.read(), expected));
    REQUIRE(bytes_of(file) == good);
  }
  CHECK(files_in(place.cache).size() == 1);
}

TEST_CASE("Malformed text is an error with and without a cache, and nothing is cached") {
  Place const place("0 qid:1 1:x\n");
  CHECK_THROWS_AS(place.read(), fltr::ParseError);
  CHECK(!std::filesystem::exists(place.cache));
  CHECK_THROWS_WITH(place.read(), ContainsSubstring(place.file.string() + ":1:11: expected"));
  CHECK_THROWS_AS(place.read({.index_base = 7}), std::invalid_argument);
  CHECK_THROWS_AS(read_letor_cached(place.folder.path() / "missing", {}, place.cache), std::system_error);
  put(place.file, "");
  CHECK_THROWS_AS(place.read(), fltr::ParseError);
}

TEST_CASE("The data is read if the cache cannot be written") {
  Place const place;
  put(place.folder.path() / "new", "a file where the folder should be");
  CHECK(same_dataset(place.read(), parse_letor(text, "x")));
  CHECK(same_dataset(read_letor_cached(place.file, {}, {}), parse_letor(text, "x")));
}

TEST_CASE("On a full disk the data is read and no cache remains") {
  Place const place;
  std::filesystem::create_directories(place.cache);
  struct rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit tiny = before;
  tiny.rlim_cur = 200;  // files end there, as on a full disk
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &tiny) == 0);
  bool same = false;
  try {
    same = same_dataset(place.read(), parse_letor(text, "x"));
  } catch (...) {
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(same);
  CHECK(files_in(place.cache).empty());
}

TEST_CASE("Several threads may read and write one cache at the same time") {
  std::string large;
  for (int i = 0; i < 5000; ++i)
    large += std::to_string(i % 3) + " qid:" + std::to_string(i / 10) + " 1:0.5 20:" + std::to_string(i) + "\n";
  Place const place(large);
  auto const expected = parse_letor(large, "x");
  std::vector<int> same(6);
  {
    std::vector<std::jthread> readers;
    for (auto& result : same)
      readers.emplace_back([&] {
        for (int i = 0; i < 5; ++i) result += same_dataset(place.read({.threads = 1}), expected) ? 1 : 0;
      });
  }
  for (int const result : same) CHECK(result == 5);
  CHECK(files_in(place.cache).size() == 1);
}

TEST_CASE("The default cache folder depends on XDG_CACHE_HOME and HOME") {
  auto const keep = [](char const* name) {
    return std::getenv(name) != nullptr ? std::optional<std::string>(std::getenv(name)) : std::nullopt;
  };
  auto const put_back = [](char const* name, std::optional<std::string> const& value) {
    value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  };
  auto const cache = keep("XDG_CACHE_HOME");
  auto const home = keep("HOME");
  ::setenv("HOME", "/home/x", 1);
  ::setenv("XDG_CACHE_HOME", "/c", 1);
  CHECK(fltr::default_cache_folder() == "/c/fltr");
  ::setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, by its specification
  CHECK(fltr::default_cache_folder() == "/home/x/.cache/fltr");
  ::unsetenv("XDG_CACHE_HOME");
  CHECK(fltr::default_cache_folder() == "/home/x/.cache/fltr");
  ::unsetenv("HOME");
  CHECK(fltr::default_cache_folder().empty());
  put_back("XDG_CACHE_HOME", cache);
  put_back("HOME", home);
}

TEST_CASE("The number of clamped values is kept in the cache") {
  Place const place("1 qid:1 1:1e7 2:-1e9 3:5\n");
  for (int reading = 0; reading < 2; ++reading) {
    fltr::LetorReport report;
    static_cast<void>(read_letor_cached(place.file, {}, place.cache, &report));
    CHECK(report.clamped == 2);
  }
  CHECK(files_in(place.cache).size() == 1);
}
