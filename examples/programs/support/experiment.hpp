#pragma once

#include <functional>

#include "data_source.hpp"
#include "options.hpp"
#include "recorder.hpp"

namespace fltr::examples {

/// Calls `body` for every fold of --data and every seed of --repeats, each time with a new run of the recorder. Folds
/// are loaded one after the other. `prepare` may change a fold after it is loaded. run.json describes the first fold.
void for_each_run(CommonOptions const& options, Recorder& recorder,
                  std::function<void(NamedFold const& fold, Run& run)> const& body,
                  std::function<void(NamedFold& fold)> const& prepare = {});

}  // namespace fltr::examples
