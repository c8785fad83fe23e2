#include "config_file.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "usage_error.hpp"

namespace fltr::examples {

namespace {

using Json = nlohmann::ordered_json;

constexpr char const* accepted = "required a run.json, a JSON object of options, or lines key = value";

/// Whether the text is meant as JSON. A section of a TOML file, [name], also begins with a bracket.
bool looks_like_json(std::string const& text) {
  if (text.empty()) return false;
  if (text.front() == '{' || text.front() == '"' || Json::accept(text)) return true;
  return text.front() == '[' && text.substr(0, text.find_first_of("\r\n")).find(']') == std::string::npos;
}

bool is_text(std::string const& text) {
  return std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; });
}

std::string word_of(std::string const& key, Json const& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  throw UsageError(fmt::format("{}: required a number, a text, or a list of them, got {}", key, value.dump()));
}

}  // namespace

std::vector<CLI::ConfigItem> ConfigFile::from_json(std::string const& text) const {
  Json const json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UsageError(fmt::format("{}, got a file that is not valid JSON", accepted));
  if (!json.is_object()) throw UsageError(fmt::format("{}, got a JSON {}", accepted, json.type_name()));
  if (json.contains("program") && json["program"] != program_)
    throw UsageError(
        fmt::format("required a run of {}, got a run of {}", program_, word_of("program", json["program"])));
  notes_->is_run = json.contains("options");
  Json const& options = notes_->is_run ? json["options"] : json;
  if (!options.is_object())
    throw UsageError(fmt::format("options: required a JSON object, got a JSON {}", options.type_name()));

  std::vector<CLI::ConfigItem> entries;
  for (auto const& [key, value] : options.items()) {
    if (value.is_null()) {
      Option const& option = find_(key);
      if (option.parser->count() > 0) continue;  // given on the command line
      if (option.clear)
        option.clear();
      else if (notes_->is_run)
        notes_->nulls.push_back(&option);  // an error unless the program ignores the option
      else
        throw UsageError(fmt::format("{}: required {}, got null", key, option.required));
      continue;
    }
    CLI::ConfigItem& item = entries.emplace_back();
    item.name = key;
    for (Json const& part : value.is_array() ? value : Json::array({value})) item.inputs.push_back(word_of(key, part));
  }
  return entries;
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& stream) const {
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!is_text(text)) throw UsageError(fmt::format("{}, got a binary file", accepted));
  text.erase(0, text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"));  // also a byte order mark
  std::istringstream lines(text);
  std::vector<CLI::ConfigItem> entries;
  for (CLI::ConfigItem& item : looks_like_json(text) ? from_json(text) : ConfigBase::from_config(lines)) {
    if (item.name == "++" || item.name == "--") continue;  // begin and end of a section
    if (!item.parents.empty() && item.parents != std::vector{program_})
      throw UsageError(fmt::format("required section [{}] or none, got section [{}]", program_, item.parents.front()));
    if (item.name == "config") continue;
    Option const& option = find_(item.name);
    if (notes_->is_run && !option.repeated) continue;
    bool const list = option.parser->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    if (list && item.inputs.empty()) continue;  // an empty list is the same as no list
    entries.push_back({{}, option.parser->get_single_name(), item.inputs});
  }
  return entries;
}

}  // namespace fltr::examples
