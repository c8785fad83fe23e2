#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fltr::examples {

/// "0.4621 ± 0.0123"; "0.4621" if the deviation is NaN; "-" if the mean is NaN.
[[nodiscard]] std::string mean_and_deviation(double mean, double deviation, int decimals, bool utf8);

/// A text table. The first column is aligned to the left, the other columns to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Every line ends in a line feed. With `utf8`, the line under the header is drawn with box characters.
  [[nodiscard]] std::string text(bool utf8) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fltr::examples
