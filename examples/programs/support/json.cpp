#include "json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace fltr::examples {

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json number_or_inf(double value) { return std::isinf(value) && value > 0 ? Json("inf") : number_or_null(value); }

std::string json_file(Json const& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace fltr::examples
