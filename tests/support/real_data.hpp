#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/catch.hpp"

namespace fltr::testing {

/// A folder within the one that FLTR_DATA names; empty, with a word about it, where there is none. Only for files
/// called real_data_test.cpp: CTest takes the word as a sign that the whole file was skipped.
inline std::filesystem::path real_data(std::string const& name) {
  char const* const folder = std::getenv("FLTR_DATA");
  if (folder != nullptr && std::filesystem::exists(std::filesystem::path(folder) / name))
    return std::filesystem::path(folder) / name;
  WARN("skipped: set FLTR_DATA to the folder that holds " + name);
  return {};
}

}  // namespace fltr::testing
