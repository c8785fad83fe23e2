#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/detail/letor_text.hpp>
#include <fltr/formats/letor_options.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// Reads LETOR (SVMlight) text: `2 qid:10 1:0.5 3:0.25 # docid = GX1`, with a docid in
/// the comment. A grade is an integer of 0 to 30. Missing features are 0. A byte-order mark, blank lines and comment
/// lines are skipped. Values become the nearest float. Several threads read lines; the result and the reported error,
/// the first in the text, do not depend on their number. `name` stands for the file in errors. `report`, if given,
/// receives the number of changed values. Throws ParseError, also for a text without documents.
template <class = void>
[[nodiscard]] Dataset parse_letor(std::string_view text, std::string_view name, LetorOptions const& options = {},
                                  LetorReport* report = nullptr) {
  if (text.starts_with("\x1f\x8b"))
    throw FormatError(std::string(name) +
                      ": required text, got a file that is compressed with gzip; unpack it with gunzip");
  auto content = detail::LetorText<AlignedFloats>(text, name, options).read();
  if (report != nullptr) *report = content.report;
  content.parts.features = std::move(content.values);
  return Dataset(std::move(content.parts));
}

/// Reads a LETOR file, see parse_letor. Needs little more memory than the Dataset, or twice as much if returning
/// queries are merged. Throws std::system_error if the file cannot be read.
template <class = void>
[[nodiscard]] Dataset read_letor(std::filesystem::path const& path, LetorOptions const& options = {},
                                 LetorReport* report = nullptr) {
  MappedFile const file(path);
  return parse_letor(file.text(), path.string(), options, report);
}

}  // namespace fltr
