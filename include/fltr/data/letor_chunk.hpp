#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/decimal.hpp>
#include <fltr/data/letor_line.hpp>
#include <fltr/data/letor_options.hpp>

namespace fltr {

/// Where the documents of all chunks go: rows of floats or doubles, `stride` apart, and grades.
template <std::floating_point Value>
struct LetorMatrix {
  std::size_t feature_count;
  std::size_t stride;
  Value* values;
  Grade* labels;
};

/// Some whole lines of a LETOR text, and what was found in them. Chunks are read side by side: first surveyed, so that
/// each knows its place in the matrix, then read right into it.
struct LetorChunk {
  /// Consecutive documents of one query.
  struct Run {
    std::string_view qid;
    std::size_t document;  ///< the first one, counted over all chunks
    std::size_t line;
    std::size_t column;
  };

  std::string_view text;  ///< ends in a line feed

  std::size_t lines = 0;
  std::size_t documents = 0;
  std::size_t widest = 0;   ///< most features of a document; a guess until the chunk is read
  std::size_t clamped = 0;  ///< values that were clamped, see LetorOptions::clamp_to

  std::size_t first_line = 1;
  std::size_t first_document = 0;

  std::vector<Run> runs;
  StringList docids;                ///< up to the last document that has one
  std::optional<ParseError> error;  ///< the first one; `runs` end there

  /// Counts lines and documents, and looks at the last feature of each: the largest, unless they are unsorted.
  void survey(LetorOptions const& options) {
    std::size_t const limit = options.feature_count != 0 ? options.feature_count : options.feature_limit;
    for_each_line([&](char const* line, char const* end) {
      ++lines;
      if (LetorLineReader::ends(LetorLineReader::skip_blanks(line))) return;
      ++documents;
      if (auto const* comment = std::memchr(line, '#', static_cast<std::size_t>(end - line)))
        end = static_cast<char const*>(comment);
      while (end != line && *end != ':') --end;
      std::size_t id = 0;
      std::size_t scale = 1;
      for (; end != line && is_digit(end[-1]) && id <= limit; --end, scale *= 10)
        id += scale * static_cast<std::size_t>(end[-1] - '0');
      std::size_t const count = id + 1 - options.index_base;
      if (scale > 1 && count <= limit) widest = std::max(widest, count);  // else it is an error, and found when read
    });
  }

  /// Reads the documents into their places.
  template <std::floating_point Value>
  void read(std::string_view file, LetorOptions const& options, LetorMatrix<Value> const& matrix) {
    runs.clear();
    docids = {};
    error.reset();
    LetorLineReader reader(file, options, matrix.feature_count);
    std::size_t line_number = first_line;
    std::size_t document = first_document;
    try {
      for_each_line([&](char const* line, char const*) {
        if (!LetorLineReader::ends(LetorLineReader::skip_blanks(line))) {
          Value* const row = matrix.values + document * matrix.stride;
          std::fill_n(row, matrix.stride, Value{0});
          auto const found = reader.read(line, line_number, row, [&](std::string_view qid) {
            if (runs.empty() || runs.back().qid != qid)
              runs.push_back({qid, document, line_number, static_cast<std::size_t>(qid.data() - line) + 1});
          });
          matrix.labels[document] = found.grade;
          keep_docid(found.docid, document - first_document);
          ++document;
        }
        ++line_number;
      });
    } catch (ParseError const& first) {
      error = first;
    }
    widest = reader.widest();
    clamped = reader.clamped();
  }

 private:
  template <class OnLine>
  void for_each_line(OnLine&& on_line) const {
    for (char const *line = text.data(), *const last = line + text.size(); line != last;) {
      auto const* const end = static_cast<char const*>(std::memchr(line, '\n', static_cast<std::size_t>(last - line)));
      on_line(line, end);
      line = end + 1;
    }
  }

  void keep_docid(std::string_view docid, std::size_t place) {
    if (docid.empty()) return;
    while (docids.size() < place) docids.push_back({});
    docids.push_back(docid);
  }
};

/// Cuts a text into chunks of whole lines, about `chunk_bytes` long each. The last line must end in a line feed.
[[nodiscard]] inline std::vector<LetorChunk> cut_letor_text(std::string_view text, std::size_t chunk_bytes) {
  std::vector<LetorChunk> chunks;
  while (!text.empty()) {
    std::size_t const size = text.find('\n', std::min(text.size(), chunk_bytes) - 1) + 1;
    chunks.emplace_back().text = text.substr(0, size);
    text.remove_prefix(size);
  }
  return chunks;
}

}  // namespace fltr
