#include <fltr/formats/detail/dataset_cache.hpp>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

using fltr::ContentHash;
using fltr::Dataset;
using fltr::FormatError;
using fltr::detail::read_dataset_cache;
using fltr::detail::write_dataset_cache;
using fltr::testing::same_dataset;

namespace {

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void put(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

Dataset small() {
  return fltr::parse_letor("2 qid:7 1:0.5 9:-1 #docid = D1\n0 qid:7 3:4\n1 qid:x 2:0.25 #docid = D3\n", "x");
}

}  // namespace

TEST_CASE("A cached dataset is read as it was written") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "cache";
  for (auto const& data : {small(), fltr::testing::random_dataset(1, {.queries = 300, .features = 13}), Dataset(),
                           fltr::parse_letor("1 qid:no-features\n", "x")}) {
    write_dataset_cache(data, path, {1, 2});
    auto const back = read_dataset_cache(path, ContentHash{1, 2});
    CHECK(same_dataset(back, data));
    CHECK(reinterpret_cast<std::uintptr_t>(back.parts().features.data()) % 64 == 0);
    CHECK(same_dataset(read_dataset_cache(path), data));
  }
}

TEST_CASE("A mapped dataset can be changed and copied, and remains valid when its file is removed") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "cache";
  write_dataset_cache(small(), path);
  std::string const before = bytes_of(path);
  auto data = read_dataset_cache(path);
  Dataset const copy = data;
  auto parts = std::move(data).release();
  parts.features.data()[0] = 77.0F;
  CHECK(bytes_of(path) == before);
  std::filesystem::remove(path);
  Dataset const changed(std::move(parts));
  CHECK(changed[0].row(0)[0] == 77.0F);
  CHECK(same_dataset(copy, small()));
}

TEST_CASE("A cache with any byte changed is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "cache";
  write_dataset_cache(small(), path);
  std::string const good = bytes_of(path);
  REQUIRE(good.size() < 1000);
  for (std::size_t i = 0; i < good.size(); ++i)
    for (unsigned const mask : {0x01U, 0x80U, 0xFFU}) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ mask);
      put(path, bad);
      INFO(i);
      REQUIRE_THROWS_AS(read_dataset_cache(path), FormatError);
    }
}

TEST_CASE("A cache that is too short or too long is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "cache";
  write_dataset_cache(small(), path);
  std::string const good = bytes_of(path);
  for (std::size_t size = 0; size < good.size(); ++size) {
    put(path, good.substr(0, size));
    REQUIRE_THROWS_AS(read_dataset_cache(path), FormatError);
  }
  for (char const* more : {"x", "1234", "0123456789abcdef0123456789abcdef"}) {
    put(path, good + more);
    REQUIRE_THROWS_AS(read_dataset_cache(path), FormatError);
  }
}

TEST_CASE("A foreign cache is refused with one sentence") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "cache";
  put(path, std::string(500, 'x'));
  CHECK_THROWS_WITH(read_dataset_cache(path), path.string() + ": not a dataset cache of fltr");
  write_dataset_cache(small(), path, {1, 2});
  CHECK_THROWS_WITH(read_dataset_cache(path, ContentHash{1, 3}), ContainsSubstring("belongs to another text"));
  std::string other = bytes_of(path);
  put(path, other.substr(0, other.size() - 1));
  CHECK_THROWS_WITH(read_dataset_cache(path), ContainsSubstring(": the dataset cache is cut short: required "));
  other[40] = 2;
  put(path, other);
  CHECK_THROWS_WITH(read_dataset_cache(path),
                    path.string() + ": dataset cache of version 2, this library reads version 3");
  CHECK_THROWS_AS(read_dataset_cache(folder.path() / "missing"), std::system_error);
}

TEST_CASE("A cache whose sizes do not agree is refused, even with a correct checksum") {
  using Header = fltr::detail::DatasetCacheHeader;
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "cache";
  write_dataset_cache(small(), path);
  std::string const payload = bytes_of(path).substr(sizeof(fltr::Envelope));
  Header header;
  std::memcpy(&header, payload.data(), sizeof header);
  // Writes the payload with another number at the offset `at`, and the checksum of the changed payload.
  auto const patched = [&](std::size_t at, std::uint64_t value) {
    std::string bad = payload;
    std::memcpy(bad.data() + at, &value, sizeof value);
    auto const bytes = fltr::enclose(fltr::detail::dataset_cache_format, std::as_bytes(std::span(bad)));
    put(path, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
  };
  patched(offsetof(Header, key), 5);  // not compared without a key
  CHECK(same_dataset(read_dataset_cache(path), small()));
  for (std::size_t const at :
       {offsetof(Header, feature_count), offsetof(Header, field_bytes), offsetof(Header, matrix_offset)})
    for (std::uint64_t const value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1000},
                                      ~std::uint64_t{0}, std::uint64_t{1} << 62U}) {
      patched(at, value);
      REQUIRE_THROWS_AS(read_dataset_cache(path), FormatError);
    }
  // Any eight bytes of the fields: lengths, offsets, ends. Some changes are valid (a grade), none may crash.
  for (std::size_t at = sizeof header; at + 8 <= sizeof header + header.field_bytes; ++at)
    for (std::uint64_t const value : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{0}, std::uint64_t{1} << 40U}) {
      patched(at, value);
      try {
        auto const data = read_dataset_cache(path);
        for (std::size_t q = 0; q < data.size(); ++q) REQUIRE(data.qid(q).size() < 100);
        for (std::size_t d = 0; data.has_docids() && d < data.document_count(); ++d)
          REQUIRE(data.docid(d).size() < 100);
      } catch (FormatError const&) {
      }
    }
}

TEST_CASE("A cache that cannot be written is a std::system_error, and no file remains") {
  fltr::testing::TemporaryFolder const folder;
  CHECK_THROWS_AS(write_dataset_cache(small(), folder.path() / "missing" / "cache"), std::system_error);
  std::filesystem::create_directory(folder.path() / "taken");
  put(folder.path() / "taken" / "file", "x");
  CHECK_THROWS_AS(write_dataset_cache(small(), folder.path() / "taken"), std::system_error);
  std::filesystem::remove_all(folder.path() / "taken");
  CHECK(std::filesystem::is_empty(folder.path()));
}
