#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fltr::examples {

/// What a file says about one option.
struct ConfigEntry {
  std::string key;                                 ///< with underscores, as in run.json
  std::optional<std::vector<std::string>> values;  ///< nothing: null
};

struct ConfigFile {
  std::vector<ConfigEntry> entries;
  bool is_run = false;  ///< the run.json of an earlier run
};

/// Reads an earlier run's run.json, a JSON object of options, or `key = value` lines (TOML or INI, a section of the
/// program's name allowed). Throws UsageError where it is none of them, or the run of another program.
[[nodiscard]] ConfigFile read_config_file(std::filesystem::path const& file, std::string const& program);

}  // namespace fltr::examples
