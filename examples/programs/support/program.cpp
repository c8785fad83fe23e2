#include "program.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <set>
#include <span>
#include <system_error>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <fltr/core/version.hpp>

#include "config_file.hpp"
#include "files.hpp"
#include "help_format.hpp"
#include "interruption.hpp"
#include "output_folder.hpp"
#include "output_paths.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// The number of letters to change, add or remove to turn one word into the other (Levenshtein distance).
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

struct Program::Config {
  ConfigFile::Notes notes;
};

Program::Program(std::string name, std::string description)
    : name_(std::move(name)),
      app_(std::make_unique<CLI::App>(std::move(description), name_)),
      config_(std::make_unique<Config>()) {
  app_->allow_extras();  // reported by `unknown`
  app_->footer(fmt::format("{} --help glossary defines every printed quantity and every column.", name_));
  app_->set_help_flag("-h,--help", "this text")->group(common_group);
  app_->set_version_flag("--version", fmt::format("{} {}", name_, version), "the version")->group(common_group);
  app_->set_config("--config", "",
                   "options from a file: lines key = value, a JSON object, or the run.json of an earlier run, which "
                   "repeats this run (without its --out); options on the command line override the file")
      ->option_text("FILE")
      ->group(common_group);
  auto const option_of_key = [this](std::string const& key) -> Option const& {
    std::string name_of_key = "--" + key;
    std::ranges::replace(name_of_key, '_', '-');
    for (std::string const& candidate : {key, name_of_key})
      if (Option const* const option = find(candidate)) return *option;
    throw UsageError(unknown(name_of_key));
  };
  app_->config_formatter(std::make_shared<ConfigFile>(name_, option_of_key, config_->notes));
}

Program::~Program() = default;

Option const* Program::find(std::string_view name) const {
  auto const found = std::ranges::find(options_, name, &Option::name);
  return found != options_.end() ? &*found : nullptr;
}

bool Program::on_command_line(Option const& option) const {
  return std::ranges::find(app_->parse_order(), option.parser) != app_->parse_order().end();
}

bool Program::is_given(Option const& option) const {
  return on_command_line(option) || (!config_->notes.is_run && option.parser->count() > 0);
}

std::string Program::config() const {
  auto const* const option = app_->get_config_ptr();
  return option->count() > 0 ? option->results().front() : "";
}

std::string Program::unknown(std::string const& argument) const {
  std::string const name = argument.substr(0, argument.find('='));
  if (auto const found = refused_.find(name); found != refused_.end())
    return fmt::format("{} has no option {}: {}", name_, name, found->second);
  if (!name.starts_with('-')) return fmt::format("\"{}\" is not expected here; see {} --help", name, name_);
  std::string nearest;
  std::size_t distance = 3;
  for (CLI::Option const* option : std::as_const(*app_).get_options())
    for (std::string const& word : option->get_lnames())
      if (std::size_t const d = edit_distance(name, "--" + word); d < distance) {
        distance = d;
        nearest = "--" + word;
      }
  if (!nearest.empty()) return fmt::format("{} has no option {}; did you mean {}?", name_, name, nearest);
  return fmt::format("{} has no option {}; see {} --help", name_, name, name_);
}

std::string Program::sentence(CLI::ParseError const& error) const {
  if (dynamic_cast<CLI::FileError const*>(&error) != nullptr)
    return fmt::format("--config: cannot read {}; required a file of options", config());
  if (dynamic_cast<CLI::RequiredError const*>(&error) != nullptr)
    for (Option const& option : options_)
      if (option.parser->get_required() && option.parser->empty())
        return fmt::format("{} is missing: give {}", option.name, option.required);
  std::string text = error.what();
  std::string const name = text.substr(0, text.find(':'));  // CLI11 begins its texts with the option
  Option const* const option = find(name);
  if (dynamic_cast<CLI::ArgumentMismatch const*>(&error) != nullptr) {
    bool const several = app_->get_option(name)->count() > 1;
    text = several ? name + " is given more than once"
                   : fmt::format("{}: required {}, got nothing", name, option != nullptr ? option->required : "a file");
  }
  return option != nullptr && !config().empty() && !on_command_line(*option) ? config() + ": " + text : text;
}

std::string Program::in_own_words(std::string_view error) const {
  std::string text = without_library_names(error);
  if (text == error) return text;  // an error of the program itself
  auto const in_word = [&text](std::size_t i) {
    return i < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '-');
  };
  for (Option const& option : options_) {
    std::string const key = option.key();
    if (key.find('_') == std::string::npos) continue;  // words such as clients are not names of members alone
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
      if (!in_word(at - 1) && !in_word(at + key.size())) text.replace(at, key.size(), option.name);
  }
  return text;
}

/// Prints the text that --help, --help glossary or --version asks for. Returns false if none of them was given.
bool Program::explain() const {
  bool const help_asked = app_->get_help_ptr()->count() > 0;
  if (!help_asked && app_->get_version_ptr()->count() == 0) return false;
  std::vector<std::string> words = app_->remaining();
  for (Option const& option : options_)
    if (option.parser->get_positional())
      words.insert(words.begin(), option.parser->results().begin(), option.parser->results().end());
  bool const about_words = help_asked && words == std::vector<std::string>{"glossary"};
  if (!words.empty() && !about_words) throw UsageError(unknown(words.front()));
  Terminal const terminal = Terminal::of(stdout);
  std::size_t const width = terminal.interactive ? std::min<std::size_t>(terminal.width, 100) : 100;
  if (about_words)
    fmt::print("{}", glossary(width));
  else
    fmt::print("{}", help_asked ? help(width) : app_->version() + '\n');
  return true;
}

bool Program::parse(std::vector<std::string> const& arguments) {
  config_->notes = {};
  std::string problem;
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes arguments from the back
  } catch (CLI::ParseError const& error) {
    problem = sentence(error);
  } catch (UsageError const& error) {
    problem = fmt::format("{}: {}", config(), error.what());
  }
  if (explain()) return false;
  if (auto const words = app_->remaining(); !words.empty()) throw UsageError(unknown(words.front()));
  if (!problem.empty()) throw UsageError(problem);
  check_common();
  if (check_) check_();
  check_reports();
  for (Option const* option : config_->notes.nulls)
    if (!option->ignored)
      throw UsageError(fmt::format("{}: {}: required {}, got null", config(), option->key(), option->required));
  return true;
}

void Program::check_paths() const {
  auto const out = common_ != nullptr ? common_->out : std::filesystem::path();
  std::vector<NamedPath> inputs;
  std::vector<NamedPath> outputs;
  for (Option const& option : options_) {
    if (option.use == Option::Use::none) continue;
    for (std::filesystem::path const& path : option.paths()) {
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
  if (!config().empty()) inputs.push_back({"--config", config()});
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
  SignalWatch const watch(name_);
  join_ranks();
  bool prints = true;
  Ending const ending = end_of_ranks(run_here(argc, argv, body), prints);
  if (prints && !ending.text.empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", name_, ending.text);
  }
  if (prints) fmt::print(stderr, "{}", ending.advice);
  leave_ranks();
  return ending.status;
}

void Program::write_nothing() {
  if (common_ == nullptr) return;
  common_->out.clear();
  common_->force = false;
  common_->quiet = true;
}

Ending Program::run_here(int argc, char const* const* argv, std::function<void()> const& body) {
  auto const failure = [](std::string_view what, int status) {
    return Ending{status, fmt::format("error: {}", what), true};
  };
  try {
    if (parse({argv + std::min(argc, 1), argv + argc})) {
      require_all_ranks();
      if (rank_count() > 1) {
        auto common_to_ranks = options();
        for (char const* own : {"threads", "out", "force", "quiet"}) common_to_ranks.erase(own);
        require_same_on_ranks("program and options", fmt::format("{} {} {}", name_, version, common_to_ranks.dump()));
      }
      if (is_first_rank())
        check_paths();
      else
        write_nothing();
      body();
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      if (errno == EPIPE) return {128 + SIGPIPE, "", true};
      return failure("cannot write to the standard output", 1);
    }
    if (!was_interrupted()) return {};
    return {128 + stop_signal(), "", false, how_to_resume(argc, argv)};
  } catch (UsageError const& error) {
    return failure(error.what(), 2);
  } catch (Interrupted const& interrupted) {
    return {128 + stop_signal(), interrupted.what(), true, how_to_resume(argc, argv)};
  } catch (std::bad_alloc const&) {
    return failure("not enough memory for this run; use fewer clients or a smaller part of the data", 1);
  } catch (std::system_error const& error) {
    // A closed pipe, as in `program | head`, is not an error.
    if (error.code() == std::errc::broken_pipe) return {128 + SIGPIPE, "", true};
    return failure(error.what(), 1);
  } catch (std::exception const& error) {
    return failure(in_own_words(error.what()), 1);
  }
}

std::string Program::how_to_resume(int argc, char const* const* argv) const {
  if (common_ == nullptr || common_->checkpoint.empty()) return "";
  std::string command;
  for (std::string_view const argument : std::span(argv, static_cast<std::size_t>(argc))) {
    bool const plain = !argument.empty() && argument.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789-_./:=,+@%") == std::string_view::npos;
    std::string quoted = plain ? std::string(argument) : "'";
    if (!plain) {
      for (char const c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      quoted += '\'';
    }
    command += (command.empty() ? "" : " ") + quoted;
  }
  std::string const start = rank_count() > 1 ? fmt::format("mpirun -n {} ", rank_count()) : "";
  return fmt::format("{}: to go on: {}{}{}\n", name_, start, command, common_->resume ? "" : " --resume");
}

nlohmann::ordered_json Program::setting() const {
  auto json = nlohmann::ordered_json::object();
  for (Option const& option : options_)
    if (option.use == Option::Use::none && option.repeated && option.in_setting && option.name != "--threads")
      json[option.key()] = option.ignored ? nullptr : option.json();
  return json;
}

std::vector<std::filesystem::path> Program::inputs() const {
  std::vector<std::filesystem::path> files;
  for (Option const& option : options_)
    if (option.use == Option::Use::reads && option.name != "--data" && !option.ignored)
      for (auto const& path : option.paths())
        if (!path.empty()) files.push_back(path);
  return files;
}

bool Program::uses(std::string_view option) const {
  Option const* const found = find(option);
  return found != nullptr && !found->ignored;
}

void Program::ignore(std::string_view option, std::string const& reason) {
  auto const found = std::ranges::find(options_, option, &Option::name);
  if (found == options_.end()) return;
  if (is_given(*found)) throw UsageError(fmt::format("{} {}", option, reason));
  found->ignored = true;
}

void Program::fix_rounds() {
  for (Option& option : options_)
    if (option.name == "--rounds") option.in_setting = true;
}

bool Program::given(std::string_view option) const {
  Option const* const found = find(option);
  return found != nullptr && is_given(*found);
}

std::vector<std::string> Program::given() const {
  std::vector<std::string> names;
  for (Option const& option : options_)
    if (is_given(option)) names.push_back(option.name);
  return names;
}

nlohmann::ordered_json Program::options() const {
  auto json = nlohmann::ordered_json::object();
  for (bool const common : {true, false})
    for (Option const& option : options_)
      if (option.common == common) json[option.key()] = option.ignored ? nullptr : option.json();
  return json;
}

std::string Program::help(std::size_t width) const {
  app_->formatter(std::make_shared<HelpFormat>(width));
  return app_->help() + (examples_.empty() ? "" : "\nExamples\n" + examples_);
}

}  // namespace fltr::examples
