#pragma once

#include <chrono>
#include <string>

namespace fltr::examples {

/// Name and version of the compiler that compiled the program: "GCC 12.2.0".
[[nodiscard]] std::string compiler_name();

/// The model name of the first processor in /proc/cpuinfo; empty where the system does not tell.
[[nodiscard]] std::string processor_name();

/// A time as ISO 8601 in UTC: "2024-11-18T00:45:10Z".
[[nodiscard]] std::string utc_date(std::chrono::system_clock::time_point time);

}  // namespace fltr::examples
