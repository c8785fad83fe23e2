#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/catch.hpp"

namespace fltr::testing {

/// The folder `name` within the folder of the environment variable FLTR_DATA. If there is none, prints "skipped: …" and
/// returns an empty path. Only for files named real_data_test.cpp: CTest reports such a file as skipped if it prints
/// "skipped: ".
inline std::filesystem::path real_data(std::string const& name) {
  char const* const folder = std::getenv("FLTR_DATA");
  if (folder != nullptr && std::filesystem::exists(std::filesystem::path(folder) / name))
    return std::filesystem::path(folder) / name;
  WARN("skipped: set FLTR_DATA to the folder that holds " + name);
  return {};
}

}  // namespace fltr::testing
