#pragma once

#include <functional>

#include "data_source.hpp"
#include "options.hpp"
#include "recorder.hpp"

namespace fltr::examples {

/// Runs `body` for every fold of --data and every seed of --repeats, a new run of the recorder for each. Folds are
/// loaded one after the other, and `prepare` may change them; the first one describes the data in run.json.
void for_each_run(CommonOptions const& options, Recorder& recorder,
                  std::function<void(NamedFold const& fold, Run& run)> const& body,
                  std::function<void(NamedFold& fold)> const& prepare = {});

}  // namespace fltr::examples
