#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/csv_reader.hpp>

namespace fltr::detail {

/// Parses the format of parse_click_log.
template <class = void>
class ClickLogParser {
 public:
  ClickLogParser(std::string_view text, std::string file, Dataset const& data)
      : data_(data), file_(std::move(file)), csv_(text, file_) {
    for (std::size_t q = 0; q < data.size(); ++q) queries_.emplace(data.qid(q), static_cast<std::uint32_t>(q));
  }

  void parse() {
    if (!csv_.next()) throw ParseError(file_, 1, 1, "expected a header line with the names of the columns");
    read_header();
    while (csv_.next()) read_document();
  }

  std::vector<std::string> clients;
  std::vector<ClickLog> logs;

 private:
  enum Column : std::size_t { client, qid, docid, row, position, click, propensity, list, columns };
  static constexpr std::array<std::string_view, columns> names{"client",   "qid",   "docid",      "row",
                                                               "position", "click", "propensity", "list"};
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The list to which the last line of a client belongs.
  struct CurrentList {
    std::size_t client;
    std::uint32_t query = 0;
    std::uint32_t position = 0xFFFFFFFFU;  // no position is larger: the first line of a client begins a list
    std::string list;
  };

  /// Finds a std::string_view in a map of std::string.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void read_header() {
    field_of_.fill(none);
    for (std::size_t field = 0; field < csv_.fields().size(); ++field)
      for (std::size_t c = 0; c < columns; ++c)
        if (csv_.fields()[field] == names[c]) {
          if (has(Column{c})) csv_.fail(field, "expected each column once");
          field_of_[c] = field;
        }
    for (Column const c : {client, qid, position, click})
      if (!has(c)) csv_.fail(0, "expected a column '" + std::string(names[c]) + "'");
    if (has(docid) == has(row)) csv_.fail(0, "expected either a column 'docid' or a column 'row'");
    if (has(docid) && !data_.has_docids()) fail(docid, "the data has no docids: expected a column 'row' instead");
    field_count_ = csv_.fields().size();
  }

  void read_document() {
    if (csv_.fields().size() != field_count_)
      csv_.fail(0, "expected " + std::to_string(field_count_) + " fields, got " + std::to_string(csv_.fields().size()));
    CurrentList& current = list_of(text(client));
    std::uint32_t const query = query_of(text(qid));
    Impression shown;
    shown.document = has(docid) ? document_by_id(query) : document_by_row(query);
    shown.position = integer(position, "a position of 1 to 10000", Impression::last_position);
    std::string_view const clicked = text(click);
    if (clicked != "0" && clicked != "1") fail(click, "expected 0 or 1");
    shown.clicked = clicked == "1";
    if (has(propensity) && !text(propensity).empty()) shown.propensity = probability();
    std::string_view const group = has(list) ? text(list) : std::string_view{};
    ClickLog& log = logs[current.client];
    if (query != current.query || shown.position <= current.position || group != current.list) {
      log.begin(query);
      current.query = query;
      current.list = group;
    } else {
      for (Impression const& other : log[log.size() - 1].shown)
        if (other.document == shown.document)
          fail(has(docid) ? docid : row, "expected each document once in a list, this one is already in the list");
    }
    current.position = shown.position;
    log.add(shown);
  }

  [[nodiscard]] CurrentList& list_of(std::string_view name) {
    if (name.empty()) fail(client, "expected the name of a client");
    if (auto const found = lists_.find(name); found != lists_.end()) return found->second;
    clients.emplace_back(name);
    logs.emplace_back();
    return lists_.emplace(std::string(name), CurrentList{logs.size() - 1, 0, 0xFFFFFFFFU, {}}).first->second;
  }
  [[nodiscard]] std::uint32_t query_of(std::string_view name) const {
    auto const found = queries_.find(name);
    if (found == queries_.end()) fail(qid, "the data has no query '" + std::string(name) + "'");
    return found->second;
  }
  [[nodiscard]] std::uint32_t document_by_id(std::uint32_t query) const {
    std::size_t const first = data_.first_document(query);
    for (std::uint32_t d = 0; d < data_[query].document_count(); ++d)
      if (data_.docid(first + d) == text(docid)) return d;
    fail(docid, "the query has no document '" + std::string(text(docid)) + "'");
  }
  [[nodiscard]] std::uint32_t document_by_row(std::uint32_t query) const {
    std::uint32_t const number = integer(row, "a row of 1 or more", 0xFFFFFFFFU);
    std::size_t const count = data_[query].document_count();
    if (number > count) fail(row, "the query has only " + std::to_string(count) + " documents");
    return number - 1;
  }
  [[nodiscard]] std::uint32_t integer(Column column, char const* what, std::uint32_t most) const {
    std::string_view const digits = text(column);
    std::uint32_t value = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value == 0 || value > most)
      fail(column, std::string("expected ") + what);
    return value;
  }
  [[nodiscard]] float probability() const {
    std::string_view const digits = text(propensity);
    float value = 0.0F;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(value > 0.0F && value <= 1.0F))
      fail(propensity, "expected a propensity above 0 and at most 1, or nothing");
    return value;
  }

  [[nodiscard]] bool has(Column column) const noexcept { return field_of_[column] != none; }
  [[nodiscard]] std::string_view text(Column column) const { return csv_.fields()[field_of_[column]]; }
  [[noreturn]] void fail(Column column, std::string const& expected) const { csv_.fail(field_of_[column], expected); }

  Dataset const& data_;
  std::string file_;
  CsvReader csv_;
  std::unordered_map<std::string_view, std::uint32_t> queries_;  // the keys refer to the Dataset
  std::unordered_map<std::string, CurrentList, Hash, std::equal_to<>> lists_;
  std::array<std::size_t, columns> field_of_{};
  std::size_t field_count_ = 0;
};

}  // namespace fltr::detail
