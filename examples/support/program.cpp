#include "program.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <set>
#include <system_error>

#include <fmt/core.h>

#include <fltr/core/version.hpp>

#include "command_line.hpp"
#include "config_file.hpp"
#include "files.hpp"
#include "interruption.hpp"
#include "output_folder.hpp"
#include "output_paths.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// The letters to change, add or drop to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// A default for the help text: 0.1, perfect, a,b; nothing for options without a value.
std::string default_text(Option const& option) {
  if (option.kind == Option::Kind::flag || option.required) return "";
  std::string text = option.json();
  if (text == "null") return "";
  std::erase_if(text, [](char c) { return c == '"' || c == '[' || c == ']'; });
  return text;
}

/// Whether the file will be in the folder of --out, which does not exist yet.
bool is_new_and_in(std::filesystem::path const& file, std::filesystem::path const& out) {
  std::error_code error;
  if (out.empty() || std::filesystem::exists(out, error)) return false;
  auto const normal = [](std::filesystem::path const& path) {
    auto const whole = std::filesystem::absolute(path).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
  };
  return file.has_filename() && normal(file).parent_path() == normal(out);
}

}  // namespace

Program::Program(std::string name, std::string description)
    : name_(std::move(name)), description_(std::move(description)) {}

Option& Program::add(Option option) {
  options_.push_back(std::move(option));
  return options_.back();
}

void Program::assign(Option& option, std::vector<std::string> const& values, std::string const& shown_as) {
  bool const several = option.kind == Option::Kind::list;
  if (values.size() > 1 && !several) throw UsageError(fmt::format("{} is given more than once", shown_as));
  std::string const text = join(values, ",");
  if (!option.assign(text)) throw UsageError(fmt::format("{} needs {}, got \"{}\"", shown_as, option.wants, text));
  option.assigned = true;
}

void Program::read_config(std::filesystem::path const& file, std::vector<bool> const& on_command_line) {
  ConfigFile const config = read_config_file(file, name_);
  for (ConfigEntry const& entry : config.entries) {
    if (entry.key == "config") continue;
    auto const option = std::ranges::find(options_, entry.key, &Option::key);
    if (option == options_.end()) throw UsageError(fmt::format("{}: {}", file.string(), unknown("--" + entry.key)));
    if (on_command_line[static_cast<std::size_t>(option - options_.begin())]) continue;
    if (config.is_run && !option->repeated) continue;
    if (option->kind == Option::Kind::list && entry.values && entry.values->empty()) continue;  // [] is not given
    option->given = !config.is_run;
    if (entry.values)
      assign(*option, *entry.values, file.string() + ": " + entry.key);
    else if (option->clear)
      option->clear();
    else if (config.is_run)
      option->null_in = file.string();  // an error unless the program ignores the option
    else
      throw UsageError(fmt::format("{}: {} needs {}, got null", file.string(), entry.key, option->wants));
  }
}

std::string Program::unknown(std::string const& argument) const {
  std::string const name = argument.substr(0, argument.find('='));
  if (!name.starts_with('-')) return fmt::format("\"{}\" is not expected here; see {} --help", name, name_);
  std::string nearest;
  std::size_t distance = 3;
  for (Option const& option : options_)
    if (std::size_t const d = edit_distance(name, option.name); d < distance) {
      distance = d;
      nearest = option.name;
    }
  if (!nearest.empty()) return fmt::format("{} has no option {}; did you mean {}?", name_, name, nearest);
  return fmt::format("{} has no option {}; see {} --help", name_, name, name_);
}

bool Program::parse(std::vector<std::string> const& arguments) {
  CommandLine line = read_command_line(options_, arguments);
  if (line.help || line.version) {
    for (std::size_t i = 0; i < options_.size(); ++i)
      if (options_[i].kind == Option::Kind::positional && line.values[i])
        line.unknown.insert(line.unknown.end(), line.values[i]->begin(), line.values[i]->end());
    if (!line.unknown.empty()) throw UsageError(unknown(line.unknown.front()));
  }
  if (line.help) {
    Terminal const terminal = Terminal::of(stdout);
    fmt::print("{}", help(terminal.interactive ? std::min<std::size_t>(terminal.width, 100) : 100));
    return false;
  }
  if (line.version) {
    fmt::print("{} {}\n", name_, version);
    return false;
  }
  for (std::size_t i = 0; i < options_.size(); ++i)
    for (std::string const& value : line.values[i].value_or(std::vector<std::string>{}))
      if (value.starts_with("--"))
        throw UsageError(fmt::format("{} needs {}, got the option {}", options_[i].name, options_[i].wants, value));
  if (!line.unknown.empty()) throw UsageError(unknown(line.unknown.front()));

  std::vector<bool> on_command_line;
  for (auto const& values : line.values) on_command_line.push_back(values.has_value());
  config_ = line.config;
  if (line.config) read_config(*line.config, on_command_line);
  for (std::size_t i = 0; i < options_.size(); ++i) {
    Option& option = options_[i];
    if (!line.values[i]) continue;
    if (option.implicit)
      for (std::string& value : *line.values[i])
        if (value.empty()) value = *option.implicit;
    assign(option, *line.values[i], option.name);
    option.given = true;
  }
  for (Option const& option : options_)
    if (option.required && !option.assigned)
      throw UsageError(fmt::format("{} is missing: give {}", option.name, option.wants));
  check_common();
  if (check_) check_();
  for (Option const& option : options_)
    if (option.null_in && !option.ignored)
      throw UsageError(fmt::format("{}: {} needs {}, got null", *option.null_in, option.key(), option.wants));
  return true;
}

void Program::check_paths() const {
  auto const out = common_ != nullptr ? common_->out : std::filesystem::path();
  std::vector<NamedPath> inputs;
  std::vector<NamedPath> outputs;
  for (Option const& option : options_) {
    if (option.use == Option::Use::none) continue;
    for (std::filesystem::path const path : option.paths()) {
      if (path.empty()) continue;
      if (option.use == Option::Use::reads) {
        inputs.push_back({option.name, path});
      } else if (option.use == Option::Use::writes) {
        if (!is_new_and_in(path, out)) require_writable({option.name, path});
        outputs.push_back({option.name, path});
      } else {
        require_writable_folder_at({option.name, path});
        for (std::string const& file : option.files) outputs.push_back({option.name, path / file});
      }
    }
  }
  if (config_) inputs.push_back({"--config", *config_});
  for (NamedPath const& output : outputs) remove_partial_when_killed(output.path);
  require_distinct(inputs, outputs);
  if (out.empty()) return;
  // The files that are written into --out, or removed from it with --force. --config may name the run.json of the
  // earlier result in --out, because its options have already been read.
  std::erase_if(inputs, [](NamedPath const& input) { return input.option == "--config"; });
  std::set<std::filesystem::path> names{"run.json", "rounds.csv", "queries.csv", "curve.svg", "model.fltr"};
  for (auto const& file : files_named_as_results(out)) names.insert(file);
  for (auto const& name : names) outputs.push_back({"--out", out / name});
  require_distinct(inputs, outputs);
}

int Program::run(int argc, char const* const* argv, std::function<void()> const& body) {
  auto const complain = [this](std::string_view what, int status) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: error: {}\n", name_, what);
    return status;
  };
  SignalWatch const watch(name_);
  try {
    if (parse({argv + std::min(argc, 1), argv + argc})) {
      check_paths();
      body();
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      if (errno == EPIPE) return 128 + SIGPIPE;
      return complain("cannot write to the standard output", 1);
    }
    return was_interrupted() ? 128 + stop_signal() : 0;
  } catch (UsageError const& error) {
    return complain(error.what(), 2);
  } catch (Interrupted const& interrupted) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", name_, interrupted.what());
    return 128 + stop_signal();
  } catch (std::bad_alloc const&) {
    return complain("not enough memory for this run; take fewer clients or a smaller part of the data", 1);
  } catch (std::system_error const& error) {
    // A closed pipe, as in `program | head`, is not an error.
    if (error.code() == std::errc::broken_pipe) return 128 + SIGPIPE;
    return complain(error.what(), 1);
  } catch (std::exception const& error) {
    return complain(error.what(), 1);
  }
}

bool Program::uses(std::string_view option) const {
  auto const found = std::ranges::find(options_, option, &Option::name);
  return found != options_.end() && !found->ignored;
}

void Program::ignore(std::string_view option, std::string const& reason) {
  auto const found = std::ranges::find(options_, option, &Option::name);
  if (found == options_.end()) return;
  if (found->given) throw UsageError(fmt::format("{} {}", option, reason));
  found->ignored = true;
}

bool Program::given(std::string_view option) const {
  auto const found = std::ranges::find(options_, option, &Option::name);
  return found != options_.end() && found->given;
}

std::vector<std::string> Program::given() const {
  std::vector<std::string> names;
  for (Option const& option : options_)
    if (option.given) names.push_back(option.name);
  return names;
}

std::string Program::options_json() const {
  std::vector<std::string> items;
  for (bool const common : {true, false})
    for (Option const& option : options_)
      if (option.common == common)
        items.push_back(json_text(option.key()) + ": " + (option.ignored ? "null" : option.json()));
  return '{' + join(items, ", ") + '}';
}

std::string Program::help(std::size_t width) const {
  constexpr std::size_t column = 28;
  std::string text;
  auto const line = [&](std::string const& left, std::string const& right) {
    auto lines = wrapped(right, std::max<std::size_t>(width, column + 20) - column);
    if (lines.empty()) lines.emplace_back();
    std::string head = "  " + left;
    bool const alone = character_count(head) + 2 > column;
    if (alone) text += head + '\n';
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string const margin = i == 0 && !alone ? head : "";
      text += margin + std::string(column - character_count(margin), ' ') + lines[i] + '\n';
    }
  };
  std::string usage = "usage: " + name_;
  for (Option const& option : options_)
    if (option.kind == Option::Kind::positional) usage += ' ' + option.placeholder;
  text += usage + " [options]\n\n";
  for (std::string const& part : wrapped(description_, width)) text += part + '\n';
  for (bool const common : {false, true}) {
    bool titled = false;
    for (Option const& option : options_) {
      if (option.common != common) continue;
      if (!titled) text += common ? "\nOptions that all programs share:\n" : "\nOptions of this program:\n";
      titled = true;
      std::string const value = option.implicit ? "[" + option.placeholder + "]" : option.placeholder;
      bool const positional = option.kind == Option::Kind::positional;
      std::string const fallback = default_text(option);
      line(positional      ? value
           : value.empty() ? option.name
                           : option.name + ' ' + value,
           fallback.empty() ? option.help : fmt::format("{} (default {})", option.help, fallback));
    }
    if (common) {
      if (!titled) text += "\nOptions that all programs share:\n";
      line("--config FILE",
           "options from a file of key = value lines, or the run.json of an earlier run, which repeats it "
           "(except its --out); options on the command line override the file");
      line("-h, --help", "this text");
      line("--version", "the version");
    }
  }
  return text;
}

}  // namespace fltr::examples
