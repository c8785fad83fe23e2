#pragma once

#include <optional>
#include <string>

#include <fltr/metrics/paired_test.hpp>

#include "recorder.hpp"

namespace fltr::examples {

/// Adds <name>_p, <name>_low and <name>_high to `result` of run.json (null without a test), and returns the line of the
/// report: `what`, the difference, its 95 % interval and p. Empty without a test.
[[nodiscard]] std::string test_line(Recorder& recorder, std::string const& name, std::string const& what,
                                    std::optional<PairedTest> const& test);

}  // namespace fltr::examples
