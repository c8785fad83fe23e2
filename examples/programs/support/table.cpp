#include "table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "text.hpp"

namespace fltr::examples {

std::string mean_and_deviation(double mean, double deviation, int decimals, bool utf8) {
  if (std::isnan(mean)) return "-";
  if (std::isnan(deviation)) return fmt::format("{:.{}f}", mean, decimals);
  return fmt::format("{:.{}f} {} {:.{}f}", mean, decimals, utf8 ? "±" : "+-", deviation, decimals);
}

std::string Table::text(bool utf8) const {
  std::vector<std::size_t> widths;
  for (auto const& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], character_count(row[i]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      std::string const padding(widths[i] - character_count(rows_[r][i]), ' ');
      if (i > 0) line += "  ";
      line += i == 0 ? rows_[r][i] + padding : padding + rows_[r][i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (r > 0) continue;
    std::size_t total = 2 * (std::max<std::size_t>(widths.size(), 1) - 1);
    for (std::size_t const width : widths) total += width;
    for (std::size_t i = 0; i < total; ++i) text += utf8 ? "─" : "-";
    text += '\n';
  }
  return text;
}

}  // namespace fltr::examples
