#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// The lines of a text, one after the other. A line ends in LF or CR LF; the last line may have no end. A byte-order
/// mark at the beginning of the text is skipped.
class LineReader {
 public:
  /// The text must outlive the reader.
  explicit LineReader(std::string_view text) noexcept : text_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) next_ = 3;
  }

  /// Goes to the next line. Returns false after the last line.
  bool next() noexcept {
    line_ = {};
    begin_ = std::min(next_, text_.size());
    if (next_ >= text_.size()) return false;
    std::size_t const end = std::min(text_.find('\n', next_), text_.size());
    line_ = text_.substr(next_, end - next_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    next_ = end + 1;
    ++number_;
    return true;
  }

  /// The current line without its end; empty before the first line and after the last.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  /// The number of the current line, from 1; 0 before the first line.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// The position of the current line in the text; the size of the text after the last line.
  [[nodiscard]] std::size_t offset() const noexcept { return begin_; }

 private:
  std::string_view text_;
  std::string_view line_;
  std::size_t number_ = 0;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

}  // namespace fltr::detail
