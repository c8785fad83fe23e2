#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/concepts/robust_rule.hpp>

namespace fltr::testing {

/// One case of tests/golden/robust.txt.
struct RobustCase {
  std::string rule;
  std::size_t malicious = 0;
  MessageRows rows;
  std::vector<double> expected;
  std::map<std::string, std::string> lines;  ///< the other lines: the name and what follows it

  [[nodiscard]] bool has(std::string const& name) const { return lines.contains(name); }
  [[nodiscard]] std::string const& text(std::string const& name) const { return lines.at(name); }
  template <class T>
  [[nodiscard]] std::vector<T> numbers(std::string const& name) const {
    std::istringstream in(lines.at(name));
    std::vector<T> out;
    for (T v{}; in >> v;) out.push_back(v);
    return out;
  }
  [[nodiscard]] double number(std::string const& name) const { return numbers<double>(name).at(0); }
  [[nodiscard]] std::size_t count(std::string const& name) const { return numbers<std::size_t>(name).at(0); }
  /// Names the case in the report of a failed test.
  [[nodiscard]] std::string name() const {
    return rule + ", n = " + std::to_string(rows.clients()) + ", d = " + std::to_string(rows.parameters()) +
           ", f = " + std::to_string(malicious) + ", " + text("source");
  }
};

/// All cases of this rule.
inline std::vector<RobustCase> read_robust_cases(std::string const& rule) {
  std::ifstream in(std::string(FLTR_TEST_DIR) + "/golden/robust.txt");
  if (!in) throw std::runtime_error("tests/golden/robust.txt is missing");
  while (in.peek() == '#') in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::vector<RobustCase> out;
  RobustCase next;
  std::size_t n = 0, d = 0;
  while (in >> next.rule >> n >> d >> next.malicious) {
    next.lines.clear();
    for (std::string name; in >> name && name != "end";) {
      in.get();
      std::getline(in, next.lines[name]);
    }
    if (!in) throw std::runtime_error("tests/golden/robust.txt ends too early");
    if (next.rule != rule) continue;
    next.rows = MessageRows(n, d);
    auto const input = next.numbers<float>("input");
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < d; ++k) next.rows.row(i)[k] = input.at(i * d + k);
    next.expected = next.numbers<double>("expected");
    out.push_back(next);
  }
  return out;
}

/// The largest |got − expected| / max(|expected|, 1e-7); infinity if the numbers of values differ.
template <class T>
[[nodiscard]] double relative_error(std::vector<T> const& got, std::vector<double> const& expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double worst = 0.0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    double const error = std::abs(static_cast<double>(got[k]) - expected[k]);
    double const relative = error / std::max(std::abs(expected[k]), 1e-7);
    worst = relative > worst || std::isnan(relative) ? relative : worst;
  }
  return worst;
}

}  // namespace fltr::testing
