#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fltr::examples {

/// JSON whose keys keep their order. Include <nlohmann/json.hpp> where values are made or read: it takes seconds to
/// compile.
using Json = nlohmann::ordered_json;

/// The number, or null for NaN and infinities, which JSON does not have.
[[nodiscard]] Json number_or_null(double value);
/// The same, but the text "inf" for infinity: an unbounded epsilon is a result.
[[nodiscard]] Json number_or_inf(double value);

/// The content of a JSON file, indented by two spaces. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_file(Json const& json);

}  // namespace fltr::examples
