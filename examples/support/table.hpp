#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fltr::examples {

/// "0.4621 ± 0.0123", or without the deviation where it is NaN; "-" for a mean that is NaN.
[[nodiscard]] std::string mean_and_deviation(double mean, double deviation, int decimals, bool utf8);

/// A small table of text in aligned columns: the first to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Lines that end in a line feed; `utf8` draws the rule under the header.
  [[nodiscard]] std::string text(bool utf8) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fltr::examples
