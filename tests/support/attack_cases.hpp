#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/poisoned.hpp"

namespace fltr::testing {

/// One case of tests/golden/attacks.txt.
struct AttackCase {
  std::string attack;
  std::map<std::string, std::vector<double>> lists{};
  std::map<std::string, std::string> words{};

  [[nodiscard]] std::vector<double> const& list(std::string const& key) const { return lists.at(key); }
  [[nodiscard]] double number(std::string const& key) const { return lists.at(key).at(0); }
  [[nodiscard]] std::size_t size(std::string const& key) const { return static_cast<std::size_t>(number(key)); }
  [[nodiscard]] std::string const& word(std::string const& key) const { return words.at(key); }

  /// The rows of the input.
  [[nodiscard]] Models rows() const {
    Models out(size("clients"), std::vector<float>(size("parameters")));
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t k = 0; k < out[i].size(); ++k)
        out[i][k] = static_cast<float>(list("input")[i * out[i].size() + k]);
    return out;
  }
  /// The global model; zeros if the case says 0 or nothing.
  [[nodiscard]] std::vector<float> global() const {
    std::vector<float> out(size("parameters"));
    auto const found = lists.find("global");
    if (found != lists.end() && found->second.size() == out.size())
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(found->second[k]);
    return out;
  }
};

inline std::vector<AttackCase> read_attack_cases() {
  std::ifstream in(std::string(FLTR_TEST_DIR) + "/golden/attacks.txt");
  if (!in) throw std::runtime_error("tests/golden/attacks.txt is missing");
  std::vector<AttackCase> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "attack") {
      words >> key;
      out.push_back({key});
    } else if (key == "=") {
      words >> key >> std::ws;
      std::getline(words, out.back().words[key]);
    } else {
      for (double value = 0; words >> value;) out.back().lists[key].push_back(value);
    }
  }
  return out;
}

}  // namespace fltr::testing
