#pragma once

#include <cstddef>
#include <vector>

#include "support/row.hpp"

/// The suites of the benchmark, each in a file of its name. A suite makes its data, measures its operations in `rounds`
/// interleaved rounds and returns its rows.
namespace fltr::benchmarks {

[[nodiscard]] std::vector<Row> letor(std::size_t rounds);
[[nodiscard]] std::vector<Row> interaction(std::size_t rounds);
[[nodiscard]] std::vector<Row> neural(std::size_t rounds);
[[nodiscard]] std::vector<Row> federation(std::size_t rounds);
[[nodiscard]] std::vector<Row> evolution(std::size_t rounds);
[[nodiscard]] std::vector<Row> ips(std::size_t rounds);
[[nodiscard]] std::vector<Row> evaluation(std::size_t rounds);
[[nodiscard]] std::vector<Row> boosting(std::size_t rounds);
[[nodiscard]] std::vector<Row> forest(std::size_t rounds);
[[nodiscard]] std::vector<Row> robust(std::size_t rounds);
[[nodiscard]] std::vector<Row> compilation(std::size_t rounds);

}  // namespace fltr::benchmarks
