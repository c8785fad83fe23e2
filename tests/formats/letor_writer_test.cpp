#include <fltr/formats/letor_writer.hpp>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include <fltr/core/random.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"
#include "support/temporary.hpp"

using fltr::Dataset;
using fltr::parse_letor;
using fltr::write_letor;
using fltr::testing::same_dataset;

namespace {

std::string written(Dataset const& data) {
  std::ostringstream out;
  write_letor(data, out);
  return std::move(out).str();
}

// Every float that is finite: all bits are random.
Dataset wild_dataset(std::uint64_t seed) {
  fltr::Stream stream(seed);
  auto parts = fltr::testing::random_dataset(seed, {.queries = 30, .features = 11}).release();
  for (std::size_t d = 0; d < parts.grades.size(); ++d) {
    for (std::size_t k = 0; k < 11; ++k) do {
        parts.features.data()[d * 16 + k] = std::bit_cast<float>(stream());
      } while (!std::isfinite(parts.features.data()[d * 16 + k]));
    parts.docids.push_back(d % 3 == 0 ? "" : "GX" + std::to_string(d));
  }
  std::erase_if(parts.query_offsets, [last = ~std::uint64_t{0}](auto offset) mutable {
    return std::exchange(last, offset) == offset;  // LETOR text has no queries without documents
  });
  parts.qids = {};
  for (std::size_t q = 0; q + 1 < parts.query_offsets.size(); ++q) parts.qids.push_back("query-" + std::to_string(q));
  return Dataset(std::move(parts));
}

}  // namespace

TEST_CASE("A Dataset is written as LETOR text") {
  auto const data = fltr::testing::dataset_of({{{2, {0.5F, 0.0F, -0.1F}}, {0, {1e20F, 100.0F, 1e-7F}}}, {{1, {}}}}, 3);
  CHECK(written(data) == "2 qid:1 1:0.5 2:0 3:-0.1\n0 qid:1 1:1e+20 2:100 3:1e-07\n1 qid:2 1:0 2:0 3:0\n");
  CHECK(written(parse_letor("3 qid:x 1:1 # docid = GX1 inc = 1\n1 qid:x\n", "x")) ==
        "3 qid:x 1:1 #docid = GX1\n1 qid:x 1:0\n");
  CHECK(written(Dataset()).empty());
}

TEST_CASE("A written Dataset is read with the same bits") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto const data = wild_dataset(seed);
    REQUIRE(data.document_count() > 50);
    CHECK(same_dataset(
        parse_letor(written(data), "x", {.clamp_to = static_cast<double>(std::numeric_limits<float>::max())}), data));
  }
}

TEST_CASE("write_letor writes the same text to a file and to a stream") {
  fltr::testing::TemporaryFolder const folder;
  auto const data = wild_dataset(9);
  write_letor(data, folder.path() / "data.txt");
  std::ifstream in(folder.path() / "data.txt", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  CHECK(text.str() == written(data));
  CHECK_THROWS_AS(write_letor(data, folder.path() / "missing" / "data.txt"), std::system_error);
  CHECK_THROWS_WITH(write_letor(data, folder.path()), ContainsSubstring("cannot write " + folder.path().string()));
}

TEST_CASE("write_letor on a full disk is a std::system_error") {
  if (!std::filesystem::exists("/dev/full")) return;
  CHECK_THROWS_AS(write_letor(wild_dataset(9), "/dev/full"), std::system_error);
}

TEST_CASE("A Dataset that the format cannot hold is not written") {
  auto const with = [](float value, std::string const& qid, std::string const& docid) {
    auto parts = fltr::testing::dataset_of({{{0, {value}}}}, 1).release();
    parts.qids = {};
    parts.qids.push_back(qid);
    parts.docids.push_back(docid);
    return Dataset(std::move(parts));
  };
  CHECK(written(with(1, "a", "b#c")) == "0 qid:a 1:1 #docid = b#c\n");
  CHECK_THROWS_AS(written(with(std::numeric_limits<float>::quiet_NaN(), "a", "b")), std::invalid_argument);
  CHECK_THROWS_AS(written(with(std::numeric_limits<float>::infinity(), "a", "b")), std::invalid_argument);
  for (char const* name : {"", "a b", "a\tb", "a\nb", "a#b"})
    CHECK_THROWS_AS(written(with(1, name, "b")), std::invalid_argument);
  for (char const* name : {"a b", "a\nb"}) CHECK_THROWS_AS(written(with(1, "a", name)), std::invalid_argument);
  CHECK_THROWS_AS(written(fltr::testing::dataset_of({{}, {{0, {1}}}}, 1)), std::invalid_argument);
}

TEST_CASE("If writing fails, the old file is unchanged, and no temporary file remains") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "data.txt";
  write_letor(wild_dataset(3), path);
  auto const text = fltr::testing::content_of(path);
  auto const unchanged = [&] {
    return fltr::testing::content_of(path) == text &&
           std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1;
  };

  // The first query can be written. The second query has no documents, which is an error.
  CHECK_THROWS_AS(write_letor(fltr::testing::dataset_of({{{0, {1}}}, {}}, 1), path), std::invalid_argument);
  CHECK(unchanged());
  {
    fltr::testing::FileSizeLimit const full(2000);
    CHECK_THROWS_AS(write_letor(wild_dataset(4), path), std::system_error);
  }
  CHECK(unchanged());
}
