#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/core/tensor.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/make_dataset.hpp>

namespace fltr::testing {

/// One case of tests/golden/pdgd.txt.
struct PdgdCase {
  struct Pair {
    std::size_t clicked, unclicked;
    double rho, weight;
  };
  Dataset data;  // one query
  std::vector<float> weights;
  std::vector<std::uint32_t> ranking;
  std::vector<std::uint8_t> clicks;
  std::vector<double> gradient;
  std::vector<double> gradient_displayed;
  std::vector<Pair> pairs;
};

template <class T>
std::vector<T> read_numbers(std::istream& in, std::size_t n) {
  std::vector<T> out(n);
  for (auto& v : out) {
    double x = 0;
    in >> x;
    v = static_cast<T>(x);
  }
  return out;
}

inline std::vector<PdgdCase> read_pdgd_cases() {
  std::ifstream in(std::string(FLTR_TEST_DIR) + "/golden/pdgd.txt");
  if (!in) throw std::runtime_error("tests/golden/pdgd.txt is missing");
  while (in.peek() == '#') in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::size_t cases = 0;
  in >> cases;
  std::vector<PdgdCase> out(cases);
  for (auto& c : out) {
    std::size_t documents = 0, features = 0, shown = 0, pairs = 0;
    in >> documents >> features >> shown >> pairs;
    auto const values = read_numbers<float>(in, documents * features);
    Matrix<float> rows({documents, features});
    std::copy(values.begin(), values.end(), rows.data());
    std::vector<Grade> const grades(documents, 0);
    std::vector<std::size_t> const sizes{documents};
    c.data = make_dataset(rows, grades, sizes);
    c.weights = read_numbers<float>(in, features);
    c.ranking = read_numbers<std::uint32_t>(in, shown);
    c.clicks = read_numbers<std::uint8_t>(in, shown);
    c.gradient = read_numbers<double>(in, features);
    c.gradient_displayed = read_numbers<double>(in, features);
    c.pairs.resize(pairs);
    for (auto& p : c.pairs) in >> p.clicked >> p.unclicked >> p.rho >> p.weight;
  }
  if (!in) throw std::runtime_error("tests/golden/pdgd.txt ends too early");
  return out;
}

}  // namespace fltr::testing
