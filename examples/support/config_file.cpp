#include "config_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "option.hpp"

namespace fltr::examples {

namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> scalar(Json const& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return std::nullopt;
}

ConfigFile from_json(std::string const& text, std::string const& file, std::string const& program) {
  Json const json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw UsageError(fmt::format("{} is not valid JSON; give a run.json or key = value lines", file));
  if (!json.is_object()) throw UsageError(fmt::format("{} has to hold one JSON object of options", file));
  ConfigFile config;
  config.is_run = json.contains("options");
  if (json.contains("program") && json["program"] != program)
    throw UsageError(
        fmt::format("{} is a run of {}, not of {}", file, scalar(json["program"]).value_or("something else"), program));
  Json const& options = config.is_run ? json["options"] : json;
  if (!options.is_object()) throw UsageError(fmt::format("{}: \"options\" has to be a JSON object", file));
  for (auto const& [key, value] : options.items()) {
    ConfigEntry entry{key, std::vector<std::string>{}};
    if (value.is_null()) {
      entry.values.reset();
    } else {
      for (Json const& item : value.is_array() ? value : Json::array({value})) {
        auto const word = scalar(item);
        if (!word) throw UsageError(fmt::format("{}: {} has to be a number, a text, or a list of them", file, key));
        entry.values->push_back(*word);
      }
    }
    config.entries.push_back(std::move(entry));
  }
  return config;
}

}  // namespace

ConfigFile read_config_file(std::filesystem::path const& file, std::string const& program) {
  std::error_code error;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, error))
    throw UsageError(fmt::format("cannot read the options in {}", file.string()));
  std::string const text{std::istreambuf_iterator<char>(stream), {}};
  std::size_t const first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  bool const json = first != std::string::npos && (text[first] == '{' || text[first] == '"');
  ConfigFile config;
  if (json)
    config = from_json(text.substr(first), file.string(), program);
  else
    config.entries = read_config_lines(text, file.string(), program);
  for (ConfigEntry& entry : config.entries) std::ranges::replace(entry.key, '-', '_');
  return config;
}

}  // namespace fltr::examples
