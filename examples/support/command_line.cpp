#include "command_line.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

namespace fltr::examples {

CommandLine read_command_line(std::deque<Option> const& options, std::vector<std::string> const& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  bool help = false;
  bool version = false;
  app.add_flag("-h,--help", help);
  app.add_flag("--version", version);
  CLI::Option* const config = app.add_option("--config")->type_size(1)->expected(1);
  config->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  std::vector<CLI::Option*> parsers;
  for (Option const& option : options) {
    if (option.kind == Option::Kind::flag) {
      parsers.push_back(app.add_flag(option.name));
    } else {
      parsers.push_back(app.add_option(option.name)->type_size(1)->expected(option.implicit ? 0 : 1, 1));
      parsers.back()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
  } catch (CLI::ArgumentMismatch const& error) {
    std::string const text = error.what();
    std::string const name = text.substr(0, text.find(':'));
    auto const option = std::ranges::find(options, name, &Option::name);
    throw UsageError(
        fmt::format("{} needs {}, got nothing", name, option != options.end() ? option->wants : std::string("a file")));
  } catch (CLI::ParseError const& error) {
    throw UsageError(error.what());
  }

  CommandLine line{.help = help, .version = version, .config = {}, .values = {}, .unknown = app.remaining()};
  if (config->count() > 1) throw UsageError("--config is given more than once");
  if (config->count() > 0) line.config = config->results().front();
  for (std::size_t i = 0; i < parsers.size(); ++i) {
    line.values.emplace_back();
    if (parsers[i]->count() == 0) continue;
    line.values[i] = parsers[i]->results();
    if (options[i].kind == Option::Kind::flag) line.values[i]->resize(1);  // quiet twice is quiet
  }
  return line;
}

std::vector<ConfigEntry> read_config_lines(std::string const& text, std::string const& file,
                                           std::string const& program) {
  std::istringstream stream(text);
  std::vector<ConfigEntry> entries;
  for (CLI::ConfigItem const& item : CLI::ConfigTOML().from_config(stream)) {
    if (item.name == "++" || item.name == "--") continue;  // ends of sections
    if (!item.parents.empty() && item.parents != std::vector<std::string>{program})
      throw UsageError(fmt::format("{}: {} knows no section {}", file, program, item.parents.front()));
    entries.push_back({item.name, item.inputs});
  }
  return entries;
}

}  // namespace fltr::examples
