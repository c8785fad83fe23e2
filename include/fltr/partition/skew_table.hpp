#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/partition/detail/decimal_text.hpp>
#include <fltr/partition/skew_report.hpp>

namespace fltr {

/// What `table` prints.
struct SkewTableOptions {
  std::size_t most_rows = 20;  ///< a population with more clients is summarised: minimum, quartiles and maximum
};

namespace detail {

/// Columns of text: the first is aligned to the left, the others to the right.
[[nodiscard]] inline std::string aligned(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> widths;
  for (auto const& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string out;
  for (auto const& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string const blanks(widths[c] - row[c].size(), ' ');
      out += c == 0 ? row[c] + (row.size() > 1 ? blanks : "") : "  " + blanks + row[c];
    }
    out += '\n';
  }
  return out;
}

}  // namespace detail

/// The report as text. With at most `most_rows` clients: a row for each client and one for the whole, with shares of
/// grades. With more: the minimum, the quartiles and the maximum of each column among the clients; those of divergence
/// and shares among the clients with documents. Divergence compares grades only: intents, click behaviour and quantity
/// do not count. The text says so.
[[nodiscard]] inline std::string table(SkewReport const& report, SkewTableOptions options = {}) {
  std::size_t const n = report.clients.size();
  auto const share = [](std::uint64_t count, std::uint64_t of) {
    return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
  };
  std::vector<std::vector<std::string>> rows{
      {n > options.most_rows ? "clients" : "client", "queries", "documents", "interactions", "divergence"}};
  for (std::size_t grade = 0; grade < report.grade_count(); ++grade)
    rows[0].push_back("grade " + std::to_string(grade));
  if (n <= options.most_rows) {
    for (std::size_t i = 0; i < n; ++i) {
      ClientSkew const& client = report.clients[i];
      rows.push_back({std::to_string(client.id), std::to_string(client.queries), std::to_string(client.documents),
                      std::to_string(client.interactions), detail::three_decimals(client.divergence)});
      for (std::uint64_t const count : report.grades_of(i))
        rows.back().push_back(detail::three_decimals(share(count, client.documents)));
    }
  } else {
    // Column c of the summary, as a function of the client.
    auto const value = [&](std::size_t i, std::size_t c) {
      ClientSkew const& client = report.clients[i];
      switch (c) {
        case 0:
          return static_cast<double>(client.queries);
        case 1:
          return static_cast<double>(client.documents);
        case 2:
          return static_cast<double>(client.interactions);
        case 3:
          return client.divergence;
        default:
          return share(report.grades_of(i)[c - 4], client.documents);
      }
    };
    for (char const* const name : {"minimum", "quartile 1", "median", "quartile 3", "maximum"}) rows.push_back({name});
    std::vector<double> column;
    for (std::size_t c = 0; c < 4 + report.grade_count(); ++c) {
      column.clear();
      for (std::size_t i = 0; i < n; ++i)  // shares and divergence: of the clients with documents
        if (c < 3 || report.clients[i].documents > 0) column.push_back(value(i, c));
      if (column.empty()) column.push_back(0.0);
      std::ranges::sort(column);
      for (std::size_t quarter = 0; quarter <= 4; ++quarter) {
        double const at = column[(column.size() - 1) * quarter / 4];
        rows[1 + quarter].push_back(c < 3 ? std::to_string(static_cast<std::uint64_t>(at))
                                          : detail::three_decimals(at));
      }
    }
  }
  rows.push_back({"all " + std::to_string(n), std::to_string(report.queries), std::to_string(report.documents),
                  std::to_string(report.interactions), detail::three_decimals(report.mean_divergence)});
  for (std::uint64_t const count : report.whole)
    rows.back().push_back(detail::three_decimals(share(count, report.documents)));
  std::string out = detail::aligned(rows);
  out +=
      "Divergence: Jensen-Shannon of a client's grades from those of all clients, base 2; in the last row the mean. "
      "Grades only: intents, click behaviour and quantity do not count.";
  if (report.without_documents > 0)
    out += " " + std::to_string(report.without_documents) + " clients have no documents.";
  return out + '\n';
}

}  // namespace fltr
