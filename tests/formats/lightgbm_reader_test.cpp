#include <fltr/formats/lightgbm_reader.hpp>

#include <fstream>
#include <system_error>

#include "support/catch.hpp"
#include "support/temporary.hpp"

TEST_CASE("A LightGBM text model is recognised by its first line that is not empty") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = folder.path() / "a.txt";
  auto const is_model = [&](char const* text) {
    std::ofstream(file, std::ios::binary) << text;
    return fltr::is_lightgbm_model(file);
  };
  CHECK(is_model("tree\nversion=v4\n"));
  CHECK(is_model("tree\r\nversion=v4\r\n"));
  CHECK(is_model("\n\r\ntree\n"));
  CHECK_FALSE(is_model("trees\n"));
  CHECK_FALSE(is_model("\n\n"));
  CHECK_FALSE(is_model(""));
  CHECK_THROWS_WITH(fltr::is_lightgbm_model(folder.path()), ContainsSubstring("cannot read " + folder.path().string()));
  CHECK_THROWS_AS(fltr::is_lightgbm_model(folder.path() / "missing.txt"), std::system_error);
}
