#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/formats/detail/letor_text.hpp>
#include <fltr/formats/letor_options.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// The features of a LETOR text as rows of doubles, for scores to the bit of a forest whose thresholds are doubles:
///
///     auto const rows = fltr::read_letor_double_rows(
///         "test.txt", {.index_base = 0, .feature_count = forest.feature_count()});
///     forest.score(rows.values, rows.feature_count, sums);
struct LetorDoubleRows {
  std::size_t document_count = 0;
  std::size_t feature_count = 0;
  std::vector<double> values;  ///< row after row
  LetorReport report{};        ///< values beyond the largest double count as clamped

  [[nodiscard]] std::span<double const> row(std::size_t document) const& noexcept {
    return std::span(values).subspan(document * feature_count, feature_count);
  }
  void row(std::size_t) const&& = delete;
};

/// Reads LETOR text as parse_letor does, except for the values: they become the nearest double and are not clamped to
/// clamp_to. For a value beyond the range of double, `1e400`, huge_values decides between the largest double and an
/// error. Row i belongs to document i of the Dataset that parse_letor makes of the same text with the same options.
template <class = void>
[[nodiscard]] LetorDoubleRows parse_letor_double_rows(std::string_view text, std::string_view name,
                                                      LetorOptions const& options = {}) {
  auto content = detail::LetorText<std::vector<double>>(text, name, options).read();
  return {content.parts.grades.size(), content.parts.feature_count, std::move(content.values), content.report};
}

/// Reads a LETOR file, see parse_letor_double_rows. Throws std::system_error if the file cannot be read.
template <class = void>
[[nodiscard]] LetorDoubleRows read_letor_double_rows(std::filesystem::path const& path,
                                                     LetorOptions const& options = {}) {
  MappedFile const file(path);
  return parse_letor_double_rows(file.text(), path.string(), options);
}

}  // namespace fltr
