#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

namespace fltr::benchmarks {

/// A time with four digits and its unit: "0.7012 us".
[[nodiscard]] inline std::string time_text(double ns) {
  auto const [factor, unit] = ns < 1e2   ? std::pair(1.0, "ns")
                              : ns < 1e5 ? std::pair(1e-3, "us")
                              : ns < 1e8 ? std::pair(1e-6, "ms")
                                         : std::pair(1e-9, "s");
  char text[48];
  auto const length = std::snprintf(text, sizeof text, "%.4g %s", ns * factor, unit);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace fltr::benchmarks
