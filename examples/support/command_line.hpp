#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "config_file.hpp"
#include "option.hpp"

namespace fltr::examples {

/// A command line taken apart, values not yet looked at.
struct CommandLine {
  bool help = false;
  bool version = false;
  std::optional<std::string> config;
  std::vector<std::optional<std::vector<std::string>>> values;  ///< per option; an empty text where none was given
  std::vector<std::string> unknown;
};

/// Throws UsageError where a value is missing.
[[nodiscard]] CommandLine read_command_line(std::deque<Option> const& options,
                                            std::vector<std::string> const& arguments);

/// The options in `key = value` lines.
[[nodiscard]] std::vector<ConfigEntry> read_config_lines(std::string const& text, std::string const& file,
                                                         std::string const& program);

}  // namespace fltr::examples
