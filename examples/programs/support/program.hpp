#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "option.hpp"
#include "options.hpp"
#include "range.hpp"
#include "ranks.hpp"
#include "usage_error.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace fltr::examples {

/// A program with its options. CLI11 parses the command line and `--config` files, checks values and prints help; this
/// class adds the options that all programs share, one-sentence errors, options that a run does not use, the checks of
/// paths, the JSON of all options, and exit statuses. An option is a variable of the program; its value at registration
/// is the default.
///
///     CommonOptions options{.clients = 1000, .rounds = 200};
///     double epsilon = 4.5;
///     Program program("name", "What it does.");
///     program.common(options, {Common::ranker});                       // all but --ranker
///     program.number("--epsilon", epsilon, "privacy per round", above(0));
///     return program.run(argc, argv, [&] { … });
class Program {
 public:
  Program(std::string name, std::string description);
  ~Program();
  Program(Program const&) = delete;
  Program& operator=(Program const&) = delete;

  /// All common options except the unused ones, which are unknown to this program.
  void common(CommonOptions& options, std::initializer_list<Common> unused = {});

  /// `--name`, without a value.
  Option& flag(std::string const& name, bool& value, std::string const& help);
  Option& number(std::string const& name, double& value, std::string const& help, Range range = {});
  Option& number(std::string const& name, std::optional<double>& value, std::string const& help, Range range = {});
  Option& whole(std::string const& name, std::uint32_t& value, std::string const& help, std::uint64_t least = 0,
                std::uint64_t most = std::numeric_limits<std::uint32_t>::max());
  Option& whole(std::string const& name, std::optional<std::uint32_t>& value, std::string const& help,
                std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::uint32_t>::max());
  Option& whole(std::string const& name, std::uint64_t& value, std::string const& help, std::uint64_t least = 0,
                std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  /// One of a few names: `choice("--clip-at", clip, {{"half", Clip::half}, {"delta", Clip::delta}}, "…")`.
  template <std::equality_comparable T>
  Option& choice(std::string const& name, T& value, std::vector<std::pair<std::string, T>> const& choices,
                 std::string const& help) {
    std::vector<std::string> names;
    for (auto const& choice : choices) names.push_back(choice.first);
    auto set = [&value, choices](std::size_t i) { value = choices[i].second; };
    auto get = [&value, choices] {
      std::size_t i = 0;
      while (i < choices.size() && !(choices[i].second == value)) ++i;
      return i;
    };
    return choice(name, names, help, set, get);
  }
  /// The option for LetorOptions::clamp_to; `off` is infinity.
  Option& clamp(std::string const& name, double& value);
  Option& text(std::string const& name, std::string& value, std::string const& help);
  Option& path(std::string const& name, std::filesystem::path& value, std::string const& help);
  /// A file or a folder that the program reads: no output may be one of its files.
  Option& input(std::string const& name, std::filesystem::path& value, std::string const& help);
  /// A file that the program writes. It is checked before `body` runs; see output_paths.hpp.
  Option& output(std::string const& name, std::filesystem::path& value, std::string const& help);
  /// A folder into which the program writes these files. It is created if it is missing.
  Option& output_folder(std::string const& name, std::filesystem::path& value, std::vector<std::string> files,
                        std::string const& help);
  /// Items between commas, or the option given several times. An empty list in a file is the same as no list.
  Option& list(std::string const& name, std::vector<std::string>& values, std::string const& help);
  Option& numbers(std::string const& name, std::vector<double>& values, std::string const& help, Range range = {});
  /// A list of files that the program reads.
  Option& inputs(std::string const& name, std::vector<std::string>& values, std::string const& help);
  /// A required positional argument: a file or folder that the program reads.
  Option& positional(std::string const& name, std::filesystem::path& value, std::string const& help);

  /// Text at the end of --help, as it is: commands and what they print.
  void examples(std::string text) { examples_ = std::move(text); }

  /// `parse` calls this function after all options have their values. It throws UsageError for options that contradict
  /// each other, and calls `ignore` for options that the run does not use.
  void check(std::function<void()> check) { check_ = std::move(check); }

  /// Runs `body` and returns the exit status: 0; 1 if it threw (`<name>: error: <what>` on stderr); 2 if the command
  /// line was wrong or `body` threw a UsageError; 128 + signal if a signal ended it early (see interruption.hpp). Under
  /// mpirun it is called on all ranks, see ranks.hpp.
  int run(int argc, char const* const* argv, std::function<void()> const& body);

  /// The first step of `run`. Returns false if help, the glossary or the version was asked for and printed. Throws
  /// UsageError.
  bool parse(std::vector<std::string> const& arguments);
  /// The second step of `run`: throws if an output cannot be written, or is also an input or another output.
  void check_paths() const;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Whether the program has this option and does not ignore it.
  [[nodiscard]] bool uses(std::string_view option) const;
  /// Marks an option as unused because of other options. Throws a UsageError with this reason if the user gave the
  /// option. In run.json it is null.
  void ignore(std::string_view option, std::string const& reason);
  /// Every round depends on --rounds: --resume cannot extend a run.
  void fix_rounds();
  /// Whether the user gave the option, on the command line or in a file. Options in the run.json of an earlier run do
  /// not count: run.json lists all options.
  [[nodiscard]] bool given(std::string_view option) const;
  /// All options that the user gave.
  [[nodiscard]] std::vector<std::string> given() const;
  /// Every option as it is used, as a JSON object for run.json.
  [[nodiscard]] nlohmann::ordered_json options() const;
  /// The options on which every round depends: not those that name files, --threads, --quiet, --force and those of
  /// checkpoints, and not --rounds, --eval-every and --no-online, so that --resume can extend a run.
  [[nodiscard]] nlohmann::ordered_json setting() const;
  /// The files that options of this run name as input, except the files of --data.
  [[nodiscard]] std::vector<std::filesystem::path> inputs() const;
  /// Says why the program does not have an option that other programs have.
  void refuse(std::string option, std::string reason) { refused_[std::move(option)] = std::move(reason); }
  [[nodiscard]] std::string help(std::size_t width) const;

 private:
  struct Config;  // what --config says besides values

  Option& add(Option option, std::string const& placeholder, std::string const& help);
  Option& choice(std::string const& name, std::vector<std::string> const& names, std::string const& help,
                 std::function<void(std::size_t)> const& set, std::function<std::size_t()> get);
  Option& list(std::string const& name, std::string const& placeholder, std::string const& required,
               std::string const& help, std::function<bool(std::vector<std::string> const&)> const& assign,
               std::function<nlohmann::ordered_json()> json);
  [[nodiscard]] Option const* find(std::string_view name) const;
  [[nodiscard]] bool on_command_line(Option const& option) const;
  [[nodiscard]] bool is_given(Option const& option) const;
  [[nodiscard]] std::string config() const;  // the file, or ""
  [[nodiscard]] std::string sentence(CLI::ParseError const& error) const;
  [[nodiscard]] std::string unknown(std::string const& argument) const;
  /// An error of the library in the words of the command line: minimum_reports is --minimum-reports.
  [[nodiscard]] std::string in_own_words(std::string_view error) const;
  [[nodiscard]] bool explain() const;
  Ending run_here(int argc, char const* const* argv, std::function<void()> const& body);
  /// On ranks above 0: no output.
  void write_nothing();
  void checkpoint_options(CommonOptions& options, bool every);
  void check_common() const;
  void check_reports() const;
  /// After an interruption: the command that goes on from the checkpoints.
  [[nodiscard]] std::string how_to_resume(int argc, char const* const* argv) const;

  std::string name_;
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Config> config_;
  std::deque<Option> options_;  // references to options stay valid
  CommonOptions* common_ = nullptr;
  std::string examples_;
  std::function<void()> check_;
  std::map<std::string, std::string> refused_;  // reasons, by option
};

}  // namespace fltr::examples
