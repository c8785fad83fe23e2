#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fltr/formats/detail/lightgbm_parser.hpp>
#include <fltr/formats/detail/line_reader.hpp>
#include <fltr/formats/lightgbm_model.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// Reads a LightGBM text model of version v3 or v4. `name` stands for the file in errors. The text is not trusted:
/// sizes are compared with the text before memory is allocated, and every tree is validated. Throws ParseError with
/// line and column.
///
/// Refused: several classes, categorical splits, linear trees. In an averaged model (a random forest), leaves are
/// divided by the number of trees, so that scores are again sums.
template <class = void>
[[nodiscard]] LightGbmModel parse_lightgbm_model(std::string_view text, std::string name = "LightGBM model") {
  return detail::LightGbmParser(text, std::move(name)).parse();
}

/// Reads a LightGBM text model, see parse_lightgbm_model. Throws std::system_error if the file cannot be read.
template <class = void>
[[nodiscard]] LightGbmModel read_lightgbm_model(std::filesystem::path const& path) {
  MappedFile const file(path);
  return parse_lightgbm_model(file.text(), path.string());
}

/// Whether the first line of a file that is not empty is "tree", as in a LightGBM text model. Throws std::system_error
/// if the file cannot be read.
[[nodiscard]] inline bool is_lightgbm_model(std::filesystem::path const& path) {
  MappedFile const file(path);
  detail::LineReader lines(file.text());
  while (lines.next())
    if (!lines.line().empty()) return lines.line() == "tree";
  return false;
}

}  // namespace fltr
