#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fltr/data/client.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "options.hpp"
#include "program.hpp"

namespace fltr::examples {

/// The two data sets of the forgotten clients between which the leak test decides.
enum class Candidates { opposite, halves };

/// The options of the program unlearning.
struct UnlearningOptions : CommonOptions {
  std::uint32_t forget = 1;
  FedEraser eraser{};
  double poison_scale = 2;
  bool grid = false;
  std::vector<std::string> grid_intervals{};    ///< empty: 5, 10, 20
  std::vector<std::string> grid_local_steps{};  ///< empty: 1, 2, 3, 4, as far as --interactions permits
  std::uint32_t leak_pairs = 200;
  std::uint32_t leak_rounds = 100;
  Candidates candidates = Candidates::opposite;
};

void declare_unlearning(Program& program, UnlearningOptions& options);

/// The program's check of its options, see Program::check.
void check_unlearning(Program& program, UnlearningOptions const& options);

/// The intervals and the local steps of --grid, rising.
struct UnlearningGrid {
  std::vector<std::uint32_t> intervals;
  std::vector<std::uint32_t> local_steps;
};

/// Throws UsageError if a list is wrong.
[[nodiscard]] UnlearningGrid unlearning_grid(UnlearningOptions const& options);

/// The names of the thesis, for 1 of 10 clients: 9H-1M, 10H-0M and 9H-0M.
struct ConfigurationNames {
  std::string poisoned;
  std::string honest;
  std::string retrained;
};
[[nodiscard]] ConfigurationNames configuration_names(UnlearningOptions const& options);

/// The clients that are forgotten: those with the largest ids.
[[nodiscard]] std::vector<ClientId> forgotten_clients(UnlearningOptions const& options);

}  // namespace fltr::examples
