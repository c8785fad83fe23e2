#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include <fltr/core/aligned.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/letor_assembly.hpp>
#include <fltr/data/letor_options.hpp>
#include <fltr/data/mapped_file.hpp>

namespace fltr {

/// Reads LETOR (SVMlight) text: `2 qid:10 1:0.5 3:0.25 # docid = GX1`, see LetorLineReader. Missing features are 0. A
/// byte-order mark, blank lines and comment lines are skipped. Values become the nearest float. Lines are read by
/// several threads; neither the result nor the error (the first in the text) depends on how many. `name` stands for the
/// file in errors. `report`, if given, receives the counts of changed values. Throws ParseError, also for a text
/// without documents.
[[nodiscard]] inline Dataset parse_letor(std::string_view text, std::string_view name, LetorOptions const& options = {},
                                         LetorReport* report = nullptr) {
  auto content = LetorAssembly<AlignedFloats>(text, name, options).assemble();
  if (report != nullptr) *report = content.report;
  content.parts.features = std::move(content.values);
  return Dataset(std::move(content.parts));
}

/// Reads a LETOR file, see parse_letor. Needs little more memory than the Dataset takes, or twice that where queries
/// return and are merged. Throws std::system_error where the file cannot be read.
[[nodiscard]] inline Dataset read_letor(std::filesystem::path const& path, LetorOptions const& options = {},
                                        LetorReport* report = nullptr) {
  MappedFile const file(path);
  return parse_letor(file.text(), path.string(), options, report);
}

}  // namespace fltr
