#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/csv_line.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/mapped_file.hpp>

namespace fltr {

/// The logs of many clients.
struct RecordedLogs {
  std::vector<std::string> clients;  ///< their names, in the order in which the file mentions them first
  std::vector<ClickLog> logs;        ///< one per client
};

/// Reads logs from CSV text, one line per document shown:
///
///     client,qid,docid,position,click,propensity
///     ann,10032,GX029-35-5894638,1,0,1
///     ann,10032,GX030-77-6315042,2,1,0.5
///
/// The header names the columns, in any order; others are not looked at. Instead of `docid` there may be `row`, the
/// number of the document among those of its query, counting from 1; so does `position`. `click` is 0 or 1.
/// `propensity`, in (0, 1], may be left out, as a column or in a line. A client's next list begins where its qid
/// changes, where its position does not rise, or where the column `list`, if there is one, changes. Lines of different
/// clients may alternate.
///
/// Queries and documents are those of the dataset. Throws ParseError, with line and column, at the first that is not,
/// or at anything else that does not fit.
class ClickLogReader {
 public:
  ClickLogReader(Dataset const& data, std::string file) : data_(data), file_(std::move(file)) {
    for (std::size_t q = 0; q < data.size(); ++q) queries_.emplace(data.qid(q), static_cast<std::uint32_t>(q));
  }
  ClickLogReader(Dataset const&&, std::string) = delete;

  [[nodiscard]] RecordedLogs read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    bool header = true;
    while (!text.empty()) {
      line_.read(text, ++number_, file_);
      if (line_.empty()) continue;
      if (std::exchange(header, false))
        read_header();
      else
        read_document();
    }
    if (header) throw ParseError(file_, 1, 1, "expected a header line with the names of the columns");
    return std::move(out_);
  }

 private:
  enum Column : std::size_t { client, qid, docid, row, position, click, propensity, list, columns };
  static constexpr std::array<std::string_view, columns> names{"client",   "qid",   "docid",      "row",
                                                               "position", "click", "propensity", "list"};
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// The list that a client is in.
  struct Open {
    std::size_t client;
    std::uint32_t query = 0;
    std::uint32_t position = 0xFFFFFFFFU;  // no position rises above it: the first line begins a list
    std::string list;
  };

  /// Finds a name without making a string of it.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void read_header() {
    place_.fill(none);
    for (std::size_t field = 0; field < line_.size(); ++field)
      for (std::size_t c = 0; c < columns; ++c)
        if (line_[field].text == names[c]) {
          if (place_[c] != none) fail(field, "expected each column once");
          place_[c] = field;
        }
    for (Column const c : {client, qid, position, click})
      if (place_[c] == none) fail(0, "expected a column '" + std::string(names[c]) + "'");
    if ((place_[docid] == none) == (place_[row] == none)) fail(0, "expected either a column 'docid' or a column 'row'");
    if (place_[docid] != none && !data_.has_docids())
      fail(place_[docid], "the data has no docids: expected a column 'row' instead");
    fields_ = line_.size();
  }

  void read_document() {
    if (line_.size() != fields_)
      throw ParseError(file_, number_, 1,
                       "expected " + std::to_string(fields_) + " fields, got " + std::to_string(line_.size()));
    Open& open = client_of(text(client));
    std::uint32_t const query = query_of(text(qid));
    Shown shown;
    shown.document = place_[docid] != none ? document_by_id(query) : document_by_row(query);
    shown.position = integer(position, "a position of 1 to 10000", Shown::last_position);
    std::string_view const clicked = text(click);
    if (clicked != "0" && clicked != "1") fail(place_[click], "expected 0 or 1");
    shown.clicked = clicked == "1";
    if (place_[propensity] != none && !text(propensity).empty()) shown.propensity = probability();
    std::string_view const group = place_[list] != none ? text(list) : std::string_view{};
    ClickLog& log = out_.logs[open.client];
    if (query != open.query || shown.position <= open.position || group != open.list) {
      log.begin(query);
      open.query = query;
      open.list = group;
    } else {
      for (Shown const& other : log[log.size() - 1].shown)
        if (other.document == shown.document)
          fail(place_[docid] != none ? place_[docid] : place_[row], "this document was already in the list");
    }
    open.position = shown.position;
    log.add(shown);
  }

  [[nodiscard]] Open& client_of(std::string_view name) {
    if (name.empty()) fail(place_[client], "expected the name of a client");
    if (auto const found = clients_.find(name); found != clients_.end()) return found->second;
    out_.clients.emplace_back(name);
    out_.logs.emplace_back();
    return clients_.emplace(std::string(name), Open{out_.logs.size() - 1, 0, 0xFFFFFFFFU, {}}).first->second;
  }
  [[nodiscard]] std::uint32_t query_of(std::string_view name) const {
    auto const found = queries_.find(name);
    if (found == queries_.end()) fail(place_[qid], "the data has no query '" + std::string(name) + "'");
    return found->second;
  }
  [[nodiscard]] std::uint32_t document_by_id(std::uint32_t query) const {
    std::size_t const first = data_.first_document(query);
    for (std::uint32_t d = 0; d < data_[query].document_count(); ++d)
      if (data_.docid(first + d) == text(docid)) return d;
    fail(place_[docid], "the query has no document '" + std::string(text(docid)) + "'");
  }
  [[nodiscard]] std::uint32_t document_by_row(std::uint32_t query) const {
    std::uint32_t const number = integer(row, "a row of 1 or more", 0xFFFFFFFFU);
    std::size_t const count = data_[query].document_count();
    if (number > count) fail(place_[row], "the query has only " + std::to_string(count) + " documents");
    return number - 1;
  }
  [[nodiscard]] std::uint32_t integer(Column column, char const* what, std::uint32_t most) const {
    std::string_view const digits = text(column);
    std::uint32_t value = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value == 0 || value > most)
      fail(place_[column], std::string("expected ") + what);
    return value;
  }
  [[nodiscard]] float probability() const {
    std::string_view const digits = text(propensity);
    float value = 0.0F;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(value > 0.0F && value <= 1.0F))
      fail(place_[propensity], "expected a propensity above 0 and at most 1, or nothing");
    return value;
  }

  [[nodiscard]] std::string_view text(Column column) const { return line_[place_[column]].text; }
  [[noreturn]] void fail(std::size_t field, std::string const& expected) const {
    throw ParseError(file_, number_, line_[field].column, expected);
  }

  Dataset const& data_;
  std::string file_;
  std::unordered_map<std::string_view, std::uint32_t> queries_;  // names in the Dataset
  std::unordered_map<std::string, Open, Hash, std::equal_to<>> clients_;
  std::array<std::size_t, columns> place_{};
  std::size_t fields_ = 0;
  std::size_t number_ = 0;
  CsvLine line_;
  RecordedLogs out_;
};

/// The logs in a CSV file (see ClickLogReader).
[[nodiscard]] inline RecordedLogs read_click_log(std::filesystem::path const& path, Dataset const& data) {
  MappedFile const file(path);
  auto const bytes = file.bytes();
  return ClickLogReader(data, path.string()).read({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

}  // namespace fltr
