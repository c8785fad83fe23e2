#pragma once

#include <functional>
#include <optional>

#include <fltr/data/feature_pattern.hpp>

#include "data_source.hpp"
#include "grid_cells.hpp"
#include "poisoning_setting.hpp"
#include "program.hpp"

namespace fltr::examples {

/// Trains one cell of a grid on one thread. `targets` are the documents of promote. Returns nothing if a signal ended
/// the training.
using TrainCell =
    std::function<std::optional<GridResult>(NamedFold const& fold, FeaturePattern const& targets, GridKey const& key)>;

/// --grid: trains all cells that are not finished yet, several at a time, and writes grid.csv, grid-means.csv, run.json
/// and the heat maps into --out. Prints tables and answers. A signal ends the trainings that have begun without a
/// result.
void run_grid(Program const& program, PoisoningOptions const& options, TrainCell const& train);

}  // namespace fltr::examples
