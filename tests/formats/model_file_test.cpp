#include <fltr/formats/model_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/sha256.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/formats/detail/dataset_cache.hpp>
#include <fltr/formats/lightgbm_writer.hpp>
#include <fltr/formats/model_sha256.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>
#include <fltr/rankers/stacked_forest.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/forests.hpp"
#include "support/temporary.hpp"

namespace {

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(std::filesystem::path const& path, std::string const& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Lying {
  static constexpr std::string_view model_name = "neural";
  std::uint64_t features = 100;
  std::uint64_t hidden = 7;
  std::uint8_t activation = 0;
  std::vector<float> parameters{1, 2, 3};
  auto fields(auto&& visit) { return visit(features, hidden, activation, parameters); }
};

/// A linear model of three features without feature_count().
struct Silent {
  static constexpr std::string_view model_name = "linear";
  std::vector<float> weights{1, 2, 3};
  auto fields(auto&& visit) { return visit(weights); }
};

}  // namespace

TEST_CASE("A model that was written and read has the same parameters and the same SHA-256") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "model.fltr";
  fltr::LinearRanker const linear(std::vector<float>{1.5F, -2.25F, 0.0F});
  fltr::write_model(path, linear);
  auto const again = fltr::read_model<fltr::LinearRanker>(path);
  CHECK(std::ranges::equal(again.parameters(), linear.parameters()));
  CHECK(fltr::ModelFile(path).name() == "linear");

  fltr::NeuralRanker neural(4, {.hidden = 3, .activation = fltr::Activation::relu});
  fltr::Stream stream(1);
  neural.initialize(stream);
  fltr::write_model(path, neural);
  auto const net = fltr::read_model<fltr::NeuralRanker>(path);
  CHECK(std::ranges::equal(net.parameters(), neural.parameters()));
  CHECK(net.hidden_count() == 3);
  CHECK(fltr::model_sha256(net) == fltr::model_sha256(neural));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);  // no partial file is left
}

TEST_CASE("Damaged, truncated and foreign model files are refused with one sentence") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "model.fltr";
  fltr::write_model(path, fltr::LinearRanker(std::vector<float>{1.0F, 2.0F}));
  std::string const good = bytes_of(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x20);
    write_bytes(path, bad);
    CHECK_THROWS_AS(fltr::read_model<fltr::LinearRanker>(path), fltr::FormatError);
    write_bytes(path, good.substr(0, i));
    CHECK_THROWS_AS(fltr::read_model<fltr::LinearRanker>(path), fltr::FormatError);
  }
  write_bytes(path, good + "x");
  CHECK_THROWS_AS(fltr::read_model<fltr::LinearRanker>(path), fltr::FormatError);
  write_bytes(path, "tree\nversion=v4\n");
  CHECK_THROWS_WITH(fltr::read_model<fltr::LinearRanker>(path), ContainsSubstring("not a model file of fltr"));
  write_bytes(path, good);
  CHECK_THROWS_WITH(fltr::read_model<fltr::NeuralRanker>(path),
                    ContainsSubstring("required a model 'neural', got 'linear'"));
  CHECK_THROWS_AS(fltr::read_model<fltr::LinearRanker>(folder.path() / "absent"), std::system_error);
}

TEST_CASE("A neural model whose sizes do not agree is refused") {
  fltr::testing::TemporaryFolder const folder;
  fltr::write_model(folder.path() / "m", Lying{});
  CHECK_THROWS_WITH(fltr::read_model<fltr::NeuralRanker>(folder.path() / "m"), ContainsSubstring("do not agree"));
}

TEST_CASE("A stacked forest whose local and stacked forests differ in features is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "m";
  using fltr::testing::stump;
  fltr::AppendedScores const local({fltr::Forest({stump(0, 1, 2)}, 2), fltr::Forest({stump(1, 1, 2)}, 2)}, 2);
  fltr::StackedForest const stacked{local, fltr::Forest({stump(3, 1, 2)}, 4)};
  fltr::write_model(path, stacked);
  CHECK(fltr::read_model<fltr::StackedForest>(path) == stacked);
  CHECK(fltr::ModelFile(path).name() == "stacked_forest");
  fltr::write_model(path, fltr::StackedForest{local, fltr::Forest(3)});
  CHECK_THROWS_WITH(fltr::read_model<fltr::StackedForest>(path), ContainsSubstring("do not agree"));
}

TEST_CASE("A model that cannot be written is a std::system_error") {
  fltr::testing::TemporaryFolder const folder;
  CHECK_THROWS_AS(fltr::write_model(folder.path() / "no" / "such" / "folder", fltr::LinearRanker(3)),
                  std::system_error);
}

TEST_CASE("A model file holds the normalisation with its statistics, and the clamp") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "m";
  fltr::LinearRanker const ranker(std::vector<float>{1.0F, 2.0F});
  auto const train = fltr::testing::dataset_of({{{0, {0, 1}}, {0, {4, 1}}}}, 2);
  fltr::ModelInput const input{100.0, fltr::FittedNormalization::fit(fltr::Normalization::zscore, train)};
  fltr::write_model(path, ranker, input);
  fltr::ModelFile const file(path);
  REQUIRE(file.input());
  CHECK(*file.input() == input);
  CHECK(file.input()->normalization.zscore() == fltr::ZScore{{2, 1}, {2, 0}});
  CHECK(std::ranges::equal(file.read<fltr::LinearRanker>().parameters(), ranker.parameters()));

  fltr::write_model(path, ranker);  // without a ModelInput
  CHECK_FALSE(fltr::ModelFile(path).input());
  CHECK_THROWS_WITH(fltr::write_model(path, fltr::LinearRanker(3), input),
                    "model_bytes: required normalisation statistics of the ranker's features, got 2");
}

TEST_CASE("A model file of version 1 is read, and has no normalisation") {
  fltr::ModelFile const golden(FLTR_TEST_DIR "/golden/model_version_1.fltr");
  CHECK_FALSE(golden.input());
  CHECK(golden.name() == "linear");
  CHECK_FALSE(golden.read<fltr::LinearRanker>().parameters().empty());
}

TEST_CASE("Model files of versions 1 and 2 are read, and refused if they are damaged") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "m";
  auto const train = fltr::testing::dataset_of({{{0, {0, 1}}, {0, {4, 1}}}}, 2);
  fltr::ModelInput const input{100.0, fltr::FittedNormalization::fit(fltr::Normalization::zscore, train)};
  for (std::uint32_t const version : {1U, 2U}) {
    fltr::FieldWriter writer;
    writer.write(std::uint64_t{0x4C444F4D52544C46});  // the characters FLTRMODL
    writer.write(version);
    writer.write(std::string("linear"));
    if (version == 2) writer.write(true);
    if (version == 2) writer.write(input);
    writer.write(fltr::LinearRanker(std::vector<float>{1.0F, 2.0F}));
    auto const bytes = writer.bytes();
    fltr::Sha256 hash;
    hash.update(bytes);
    auto const digest = hash.digest();
    std::string text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    text.append(reinterpret_cast<char const*>(digest.data()), digest.size());
    write_bytes(path, text);
    fltr::ModelFile const file(path);
    CHECK(file.input().has_value() == (version == 2));
    if (version == 2) CHECK(*file.input() == input);
    CHECK(file.read<fltr::LinearRanker>().parameters()[1] == 2.0F);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string bad = text;
      bad[i] = static_cast<char>(bad[i] ^ 0x20);
      write_bytes(path, bad);
      REQUIRE_THROWS_AS(fltr::ModelFile(path), fltr::FormatError);
      write_bytes(path, text.substr(0, i));
      REQUIRE_THROWS_AS(fltr::ModelFile(path), fltr::FormatError);
    }
    text[8] = 3;
    write_bytes(path, text);
    CHECK_THROWS_WITH(fltr::ModelFile(path),
                      path.string() + ": model file of version 3, this library reads versions 1 to 3");
  }
}

TEST_CASE("A model file of a later version is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "m";
  fltr::write_model(path, fltr::LinearRanker(2));
  std::string text = bytes_of(path);
  text[40] = 4;
  write_bytes(path, text);
  CHECK_THROWS_WITH(fltr::ModelFile(path),
                    path.string() + ": model file of version 4, this library reads versions 1 to 3");
}

TEST_CASE("A normalisation that does not fit the ranker in the file is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "m";
  auto const train = fltr::testing::dataset_of({{{0, {0, 1}}, {0, {4, 1}}}}, 2);
  fltr::write_model(path, Lying{},
                    fltr::ModelInput{1e6, fltr::FittedNormalization::fit(fltr::Normalization::zscore, train)});
  CHECK_THROWS_AS(fltr::read_model<fltr::NeuralRanker>(path), fltr::FormatError);
  fltr::write_model(path, Silent{},
                    fltr::ModelInput{1e6, fltr::FittedNormalization::fit(fltr::Normalization::zscore, train)});
  CHECK_THROWS_WITH(fltr::read_model<fltr::LinearRanker>(path), ContainsSubstring("does not fit the ranker"));
}

TEST_CASE("A copy of a ModelFile holds its own bytes") {
  fltr::testing::TemporaryFolder const folder;
  auto const first = folder.path() / "first.fltr";
  auto const second = folder.path() / "second.fltr";
  fltr::write_model(first, fltr::LinearRanker(std::vector<float>{1, 2, 3}));
  fltr::write_model(second, fltr::LinearRanker(std::vector<float>{7, 8, 9}));
  fltr::ModelFile original(first);
  fltr::ModelFile const copy = original;
  original = fltr::ModelFile(second);
  CHECK(copy.read<fltr::LinearRanker>().parameters() == std::vector<float>{1, 2, 3});
  CHECK(original.read<fltr::LinearRanker>().parameters() == std::vector<float>{7, 8, 9});
  fltr::ModelFile const other(second);
  fltr::ModelFile assigned(first);
  assigned = other;
  CHECK(assigned.read<fltr::LinearRanker>().parameters() == std::vector<float>{7, 8, 9});
}

TEST_CASE("Weights that are not finite are refused on reading and on writing a model file") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "model.fltr";
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    fltr::LinearRanker const linear(std::vector<float>{1.0F, bad});
    fltr::NeuralRanker neural(2, {.hidden = 1});
    neural.parameters()[3] = bad;
    auto const save = [&](auto const& model) {
      auto const bytes = fltr::model_bytes(model);
      write_bytes(path, std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
    };
    save(linear);
    CHECK_THROWS_AS(fltr::read_model<fltr::LinearRanker>(path), fltr::FormatError);
    CHECK_THROWS_WITH(fltr::read_model<fltr::LinearRanker>(path),
                      path.string() + ": required finite weights, got " + std::to_string(bad));
    save(neural);
    CHECK_THROWS_WITH(fltr::read_model<fltr::NeuralRanker>(path), ContainsSubstring(": required finite weights, got "));
    fltr::write_model(path, fltr::LinearRanker(std::vector<float>{4}));
    CHECK_THROWS_WITH(fltr::write_model(path, linear), ContainsSubstring("write_model: required finite weights, got "));
    CHECK(fltr::read_model<fltr::LinearRanker>(path).parameters() == std::vector<float>{4});  // the old file
  }
}

TEST_CASE("On a full disk the old model is unchanged, and no temporary file remains") {
  fltr::testing::TemporaryFolder const folder;
  auto const path = folder.path() / "model.fltr";
  fltr::write_model(path, fltr::LinearRanker(std::vector<float>{4}));
  auto const before = bytes_of(path);
  {
    fltr::testing::FileSizeLimit const full(500);
    CHECK_THROWS_AS(fltr::write_model(path, fltr::LinearRanker(1000)), std::system_error);
    CHECK_THROWS_AS(fltr::write_lightgbm_model(path, fltr::LightGbmModel(fltr::Forest(1000))), std::system_error);
    CHECK_THROWS_AS(fltr::detail::write_dataset_cache(fltr::testing::random_dataset(1, {}), path), std::system_error);
  }
  CHECK(bytes_of(path) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
