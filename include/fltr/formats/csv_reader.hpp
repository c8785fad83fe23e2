#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/detail/line_reader.hpp>

namespace fltr {

/// Reads CSV text (RFC 4180) line by line:
///
///     fltr::CsvReader csv(text, "log.csv");
///     while (csv.next())
///       for (std::string const& field : csv.fields()) ...
///
/// A field may be quoted, with "" for a quote. A quoted field must end on the line on which it begins. Lines end in LF
/// or CR LF. A byte-order mark and empty lines are skipped.
class CsvReader {
 public:
  /// `file` names the text in errors. The text must outlive the reader.
  CsvReader(std::string_view text, std::string file) : lines_(text), file_(std::move(file)) {}

  /// Reads the next line that is not empty. Returns false after the last line. Throws ParseError.
  bool next() {
    do
      if (!lines_.next()) return false;
    while (lines_.line().empty());
    count_ = 0;
    std::string_view const line = lines_.line();
    for (std::size_t at = 0;; ++at) {
      at = read_field(line, at);
      if (at >= line.size()) return true;
    }
  }

  /// The fields of the current line.
  [[nodiscard]] std::span<std::string const> fields() const& noexcept { return std::span(fields_).first(count_); }
  void fields() const&& = delete;
  /// The current line as it is in the text, and its number from 1.
  [[nodiscard]] std::string_view line() const noexcept { return lines_.line(); }
  [[nodiscard]] std::size_t line_number() const noexcept { return lines_.number(); }

  /// Throws ParseError at the first byte of a field of the current line, or at its first byte if there is no such
  /// field.
  [[noreturn]] void fail(std::size_t field, std::string const& expected) const {
    throw ParseError(file_, lines_.number(), field < count_ ? columns_[field] : 1, expected);
  }

 private:
  /// Reads the field at `at`. Returns the position of the comma behind it, or the size of the line.
  std::size_t read_field(std::string_view line, std::size_t at) {
    if (count_ == fields_.size()) {
      fields_.emplace_back();
      columns_.emplace_back();
    }
    std::string& field = fields_[count_];
    field.clear();
    columns_[count_++] = at + 1;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at == line.size()) fail(count_ - 1, "expected a closing quote on this line");
        if (line[at] != '"') {
          field += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field += line[at++];
        } else {
          break;
        }
      }
      ++at;
      if (at < line.size() && line[at] != ',')
        throw ParseError(file_, lines_.number(), at + 1, "expected a comma behind the closing quote");
      return at;
    }
    for (; at < line.size() && line[at] != ','; ++at) {
      if (line[at] == '"') throw ParseError(file_, lines_.number(), at + 1, "expected quotes around the whole field");
      field += line[at];
    }
    return at;
  }

  detail::LineReader lines_;
  std::string file_;
  std::vector<std::string> fields_;   // the first count_ are of the current line: the next line reuses their memory
  std::vector<std::size_t> columns_;  // of the first byte of each field, from 1
  std::size_t count_ = 0;
};

}  // namespace fltr
