#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class Option;
}

namespace fltr::examples {

/// What a Program knows about an option besides its CLI::Option, which parses, checks and assigns the value.
struct Option {
  /// How the program uses the files that the value names.
  enum class Use { none, reads, writes, writes_folder };

  CLI::Option* parser;
  std::string name;                              ///< "--clients", or "MODEL" for a positional argument
  std::string required;                          ///< "a whole number from 1 to 10": part of the error for other values
  std::function<nlohmann::ordered_json()> json;  ///< the value as used, for run.json
  std::function<void()> clear{};                 ///< takes the value away; empty if the option always has a value

  Use use = Use::none;
  std::function<std::vector<std::filesystem::path>()> paths{};  ///< the files or folders that the value names
  std::vector<std::string> files{};                             ///< the files that are written into a folder

  bool common = false;
  bool repeated = true;    ///< taken from the run.json of an earlier run
  bool in_setting = true;  ///< no round is the same with another value, see Program::setting
  bool ignored = false;    ///< see Program::ignore

  /// The option may be given without a value and then has this one.
  Option& implicit(std::string const& value);
  /// The help text shows no default, because the default stands for "not given".
  Option& without_default();
  /// The name in run.json: "--learning-rate" is learning_rate.
  [[nodiscard]] std::string key() const;
};

}  // namespace fltr::examples
