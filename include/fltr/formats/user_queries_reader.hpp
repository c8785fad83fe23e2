#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/user_queries.hpp>
#include <fltr/formats/csv_reader.hpp>
#include <fltr/formats/detail/timestamp.hpp>
#include <fltr/formats/mapped_file.hpp>

namespace fltr {

/// What a reader of user queries does with lines that are not in the order of time.
enum class TimeOrder : std::uint8_t {
  required,  ///< a line of a user that is earlier than the user's line before it is an error
  sort,      ///< the lines of each user are sorted; lines of the same time keep their order
};

/// Reads who asked which query from CSV text with one line per query, such as `metadata.csv` of AOL4FOLTR:
///
///     qid,user_id,timestamp,query
///     0,142,2006-03-01 07:17:12,rentdirect.com
///     1,217,2006-03-01 07:17:15,lottery
///
/// The header names the columns, in any order. Columns of other names are ignored. A timestamp is a date with or
/// without a time of day, or an integer. Each qid of `data` must have exactly one line; lines with other qids are
/// counted and ignored, so that a part of the data can be read with the metadata of the whole. `name` stands for the
/// file in errors. Throws ParseError, with line and column, at the first field that does not fit, and
/// std::invalid_argument if a qid occurs twice in `data` or not at all in the text.
template <class = void>
[[nodiscard]] UserQueries parse_user_queries(std::string_view text, std::string const& name, Dataset const& data,
                                             TimeOrder order = TimeOrder::required) {
  enum Column : std::size_t { qid, user, time, columns };
  constexpr std::array<std::string_view, columns> names{"qid", "user_id", "timestamp"};
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::size_t q = 0; q < data.size(); ++q)
    require(numbers.emplace(data.qid(q), static_cast<std::uint32_t>(q)).second, "read_user_queries",
            "data in which each qid occurs once", "qid '" + std::string(data.qid(q)) + "' twice");

  CsvReader csv(text, name);
  if (!csv.next()) throw ParseError(name, 1, 1, "expected a header line with the names of the columns");
  std::array<std::size_t, columns> field_of{none, none, none};
  std::size_t const fields = csv.fields().size();
  for (std::size_t field = 0; field < fields; ++field)
    for (std::size_t c = 0; c < columns; ++c)
      if (csv.fields()[field] == names[c]) {
        if (field_of[c] != none) csv.fail(field, "expected each column once");
        field_of[c] = field;
      }
  for (std::size_t c = 0; c < columns; ++c)
    if (field_of[c] == none) csv.fail(0, "expected a column '" + std::string(names[c]) + "'");

  UserQueries out;
  std::unordered_map<std::string, std::size_t> users;
  std::vector<std::vector<std::int64_t>> times;
  std::vector<std::size_t> line_of(data.size());  // 0: no line yet
  while (csv.next()) {
    auto const field = [&](Column c) -> std::string const& { return csv.fields()[field_of[c]]; };
    if (csv.fields().size() != fields)
      csv.fail(0, "expected " + std::to_string(fields) + " fields, got " + std::to_string(csv.fields().size()));
    auto const found = numbers.find(field(qid));
    if (found == numbers.end()) {
      ++out.ignored;
      continue;
    }
    if (std::size_t& line = line_of[found->second]; line == 0)
      line = csv.line_number();
    else
      csv.fail(field_of[qid], "expected each qid once, this one is also in line " + std::to_string(line));
    if (field(user).empty()) csv.fail(field_of[user], "expected the name of a user");
    auto const now = detail::parse_timestamp(field(time));
    if (!now) csv.fail(field_of[time], "expected a time such as 2006-03-01 07:17:12, or an integer");
    auto const [entry, is_new] = users.emplace(field(user), out.users.size());
    if (is_new) {
      out.users.push_back(field(user));
      out.queries.emplace_back();
      times.emplace_back();
    }
    auto& own = times[entry->second];
    if (order == TimeOrder::required && !own.empty() && *now < own.back())
      csv.fail(field_of[time], "expected a time that is not before the time of the user's line above");
    own.push_back(*now);
    out.queries[entry->second].push_back(found->second);
  }
  std::size_t missing = 0;
  for (std::size_t const line : line_of) missing += line == 0 ? 1U : 0U;
  if (missing > 0) {
    auto const first = static_cast<std::size_t>(std::ranges::find(line_of, std::size_t{0}) - line_of.begin());
    throw_requirement("read_user_queries", "a line in " + name + " for each qid of the data",
                      "none for " + std::to_string(missing) + " of " + std::to_string(data.size()) + " qids, first '" +
                          std::string(data.qid(first)) + "'");
  }
  if (order == TimeOrder::sort)
    for (std::size_t u = 0; u < times.size(); ++u) {
      std::vector<std::pair<std::int64_t, std::uint32_t>> lines;
      for (std::size_t i = 0; i < times[u].size(); ++i) lines.emplace_back(times[u][i], out.queries[u][i]);
      std::ranges::stable_sort(lines, {}, [](auto const& line) { return line.first; });
      for (std::size_t i = 0; i < lines.size(); ++i) out.queries[u][i] = lines[i].second;
    }
  return out;
}

/// Reads who asked which query from a CSV file, see parse_user_queries. Throws std::system_error if the file cannot be
/// read.
template <class = void>
[[nodiscard]] UserQueries read_user_queries(std::filesystem::path const& path, Dataset const& data,
                                            TimeOrder order = TimeOrder::required) {
  MappedFile const file(path);
  return parse_user_queries(file.text(), path.string(), data, order);
}

}  // namespace fltr
