#include "test_line.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace fltr::examples {

std::string test_line(Recorder& recorder, std::string const& name, std::string const& what,
                      std::optional<PairedTest> const& test) {
  recorder.result(name + "_p", test ? number_or_null(test->p) : Json());
  recorder.result(name + "_low", test ? number_or_null(test->low) : Json());
  recorder.result(name + "_high", test ? number_or_null(test->high) : Json());
  if (!test) return "";
  return fmt::format("{:<40} {:+.4f}  95 % interval [{:+.4f}, {:+.4f}]  p {:.2g}  ({} pairs)\n", what, test->difference,
                     test->low, test->high, test->p, test->pairs);
}

}  // namespace fltr::examples
