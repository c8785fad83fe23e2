#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/data/click_log.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/detail/click_log_parser.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// The logs of many clients.
struct RecordedLogs {
  std::vector<std::string> clients;  ///< their names, in the order of their first lines
  std::vector<ClickLog> logs;        ///< one per client
};

/// Reads logs from CSV text with one line per displayed document:
///
///     client,qid,docid,position,click,propensity
///     ann,10032,GX029-35-5894638,1,0,1
///     ann,10032,GX030-77-6315042,2,1,0.5
///
/// The header names the columns, in any order. Columns of other names are ignored. The column `row` may replace
/// `docid`: it is the number of the document among the documents of its query, from 1. `position` also counts from 1.
/// `click` is 0 or 1. `propensity`, in (0, 1], may be missing as a column, or be empty in a line. The next list of a
/// client begins where its qid changes, where its position does not increase, or where the column `list`, if there is
/// one, changes. Lines of different clients may alternate.
///
/// Queries and documents refer to `data`. `name` stands for the file in errors. Throws ParseError, with line and
/// column, at the first field that does not fit.
template <class = void>
[[nodiscard]] RecordedLogs parse_click_log(std::string_view text, std::string name, Dataset const& data) {
  detail::ClickLogParser parser(text, std::move(name), data);
  parser.parse();
  return {std::move(parser.clients), std::move(parser.logs)};
}

/// Reads logs from a CSV file, see parse_click_log. Throws std::system_error if the file cannot be read.
template <class = void>
[[nodiscard]] RecordedLogs read_click_log(std::filesystem::path const& path, Dataset const& data) {
  MappedFile const file(path);
  return parse_click_log(file.text(), path.string(), data);
}

}  // namespace fltr
