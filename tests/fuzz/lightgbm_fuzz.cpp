// Whatever the bytes, the reader of LightGBM models accepts them or throws ParseError. What it accepts can be
// written and read again, and many documents at once have the scores that they have one by one.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/formats/lightgbm_reader.hpp>
#include <fltr/formats/lightgbm_writer.hpp>

#include "fuzz/target.hpp"

namespace {

void require_same_scores(fltr::Forest const& forest) {
  constexpr std::size_t documents = 21;
  std::size_t const features = forest.feature_count();
  fltr::Stream stream(1);
  std::vector<float> rows(documents * features);
  for (float& x : rows) x = stream.below(8) == 0 ? 0.0F : static_cast<float>(stream.normal());
  std::vector<fltr::Grade> const grades(documents);
  std::vector<double> sums(documents);
  fltr::QueryView const query(rows.data(), features, features, grades, grades);
  forest.score(query, sums);
  for (std::size_t i = 0; i < documents; ++i)
    fltr::testing::must(sums[i] == forest.predict(query.row(i)) || sums[i] != sums[i]);
}

}  // namespace

FLTR_FUZZ_TARGET(lightgbm) {
  fltr::LightGbmModel model;
  try {
    model = fltr::parse_lightgbm_model({reinterpret_cast<char const*>(data), size});
  } catch (fltr::ParseError const&) {
    return;
  }
  fltr::testing::must(fltr::parse_lightgbm_model(fltr::lightgbm_text(model)) == model);
  require_same_scores(model.forest);
}
