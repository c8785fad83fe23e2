#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

/// One line of CSV text (RFC 4180) after the other. Fields may be quoted, with "" for a quote; a quoted field must end
/// on the line on which it begins.
class CsvLine {
 public:
  struct Field {
    std::string text;
    std::size_t column = 1;  ///< of its first byte
  };

  /// Reads the first line of the text and takes it off. A line may end in CR LF; the last one may lack its end.
  void read(std::string_view& text, std::size_t number, std::string_view file) {
    std::size_t const feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    count_ = 0;
    empty_ = line.empty();
    for (std::size_t at = 0;; ++at) {
      Field& field = next(at + 1);
      if (at < line.size() && line[at] == '"') {
        for (++at;; ++at) {
          if (at == line.size()) throw ParseError(file, number, field.column, "expected a closing quote on this line");
          if (line[at] != '"') {
            field.text += line[at];
          } else if (at + 1 < line.size() && line[at + 1] == '"') {
            field.text += line[at++];
          } else {
            break;
          }
        }
        if (++at < line.size() && line[at] != ',')
          throw ParseError(file, number, at + 1, "expected a comma behind the closing quote");
      } else {
        for (; at < line.size() && line[at] != ','; ++at) {
          if (line[at] == '"') throw ParseError(file, number, at + 1, "expected quotes around the whole field");
          field.text += line[at];
        }
      }
      if (at >= line.size()) return;
    }
  }

  /// Whether there was nothing on the line.
  [[nodiscard]] bool empty() const noexcept { return empty_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] Field const& operator[](std::size_t i) const noexcept { return fields_[i]; }

 private:
  /// The next field, with the room of an earlier line's.
  Field& next(std::size_t column) {
    if (count_ == fields_.size()) fields_.emplace_back();
    Field& field = fields_[count_++];
    field.text.clear();
    field.column = column;
    return field;
  }

  std::vector<Field> fields_;
  std::size_t count_ = 0;
  bool empty_ = true;
};

}  // namespace fltr
