#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "option.hpp"

namespace fltr::examples {

/// Reads --config for CLI11: lines `key = value` (TOML or INI, a section of the program's name allowed), a JSON object
/// of options, or the run.json of an earlier run. Throws UsageError if the file is none of them or the run of another
/// program. Keys may be written with underscores, as in run.json.
class ConfigFile : public CLI::ConfigBase {
 public:
  /// What a file says besides values.
  struct Notes {
    bool is_run = false;                 ///< the run.json of an earlier run
    std::vector<Option const*> nulls{};  ///< options that always have a value, and are null in the run.json
  };
  /// Returns the option of a key, or throws UsageError if there is none.
  using Find = std::function<Option const&(std::string const& key)>;

  ConfigFile(std::string program, Find find, Notes& notes)
      : program_(std::move(program)), find_(std::move(find)), notes_(&notes) {}

  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& stream) const override;

 private:
  [[nodiscard]] std::vector<CLI::ConfigItem> from_json(std::string const& text) const;

  std::string program_;
  Find find_;
  Notes* notes_;
};

}  // namespace fltr::examples
