#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "option.hpp"
#include "options.hpp"

namespace fltr::examples {

/// A program with its options: reads the command line and `--config` files, explains itself, and turns errors into exit
/// statuses. An option is a variable of the program; its value at registration is the default.
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
  Program(Program const&) = delete;
  Program& operator=(Program const&) = delete;

  /// All common options except the ones that this program does not use: those are unknown here.
  void common(CommonOptions& options, std::initializer_list<Common> unused = {});

  /// `--name`, without a value.
  Option& flag(std::string name, bool& value, std::string help);
  Option& number(std::string name, double& value, std::string help, Range range = {});
  Option& number(std::string name, std::optional<double>& value, std::string help, Range range = {});
  template <std::unsigned_integral T>
  Option& whole(std::string name, T& value, std::string help, std::uint64_t least = 0,
                std::uint64_t most = std::numeric_limits<T>::max()) {
    return whole(
        std::move(name), std::move(help), least, most, [&value](std::uint64_t v) { value = static_cast<T>(v); },
        [&value] { return std::uint64_t{value}; });
  }
  /// One of a few names: `choice("--clip-at", clip, {{"half", Clip::half}, {"delta", Clip::delta}}, "…")`.
  template <std::equality_comparable T>
  Option& choice(std::string name, T& value, std::vector<std::pair<std::string, T>> choices, std::string help) {
    std::vector<std::string> names;
    for (auto const& [word, meaning] : choices) names.push_back(word);
    auto get = [&value, choices] {
      std::size_t i = 0;
      while (i < choices.size() && !(choices[i].second == value)) ++i;
      return i;
    };
    auto set = [&value, choices](std::size_t i) { value = choices[i].second; };
    return choice(std::move(name), std::move(names), std::move(help), std::move(set), std::move(get));
  }
  /// The option for LetorOptions::clamp_to; `off` is infinity.
  Option& clamp(std::string name, double& value);
  Option& text(std::string name, std::string& value, std::string help);
  Option& path(std::string name, std::filesystem::path& value, std::string help);
  /// A file or a folder that the program reads: no output may be one of its files.
  Option& input(std::string name, std::filesystem::path& value, std::string help);
  /// A file that the program writes. It is checked before `body` runs; see output_paths.hpp.
  Option& output(std::string name, std::filesystem::path& value, std::string help);
  /// A folder into which the program writes these files. It is created if it is missing.
  Option& output_folder(std::string name, std::filesystem::path& value, std::vector<std::string> files,
                        std::string help);
  /// Parts between commas, or the option given several times. An empty list in a file is as good as none.
  Option& list(std::string name, std::vector<std::string>& values, std::string help);
  Option& numbers(std::string name, std::vector<double>& values, std::string help, Range range = {});
  /// A required positional argument: a file or folder that the program reads.
  Option& positional(std::string name, std::filesystem::path& value, std::string help);

  /// What `parse` calls when all options have their values: throws UsageError for options that do not go together, and
  /// calls `ignore` for those that have no use.
  void check(std::function<void()> check) { check_ = std::move(check); }

  /// Runs `body` and returns the exit status: 0; 1 if it threw (`<name>: error: <what>` on stderr); 2 if the command
  /// line was wrong or `body` threw a UsageError; 128 + signal if a signal ended it early (see interruption.hpp).
  int run(int argc, char const* const* argv, std::function<void()> const& body);

  /// What `run` does first. False: help or the version was asked for and printed. Throws UsageError.
  bool parse(std::vector<std::string> const& arguments);
  /// The next step of `run`: throws if an output cannot be written, or is also an input or another output.
  void check_paths() const;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  /// Whether the program has this option.
  [[nodiscard]] bool uses(std::string_view option) const;
  /// Marks an option as unused because of other options. Throws a UsageError with this reason if the user gave the
  /// option. In run.json it is null.
  void ignore(std::string_view option, std::string const& reason);
  /// Whether a person gave the option, on the command line or in a file. The run.json of an earlier run does not count:
  /// it lists all options, also those that the run had no use for.
  [[nodiscard]] bool given(std::string_view option) const;
  /// All options that a person gave.
  [[nodiscard]] std::vector<std::string> given() const;
  /// Every option as it is used, as a JSON object for run.json.
  [[nodiscard]] std::string options_json() const;
  [[nodiscard]] std::string help(std::size_t width) const;

 private:
  Option& add(Option option);
  Option& number(std::string name, std::string help, Range range, std::function<void(double)> set,
                 std::function<std::string()> json);
  Option& whole(std::string name, std::string help, std::uint64_t least, std::uint64_t most,
                std::function<void(std::uint64_t)> set, std::function<std::uint64_t()> get);
  Option& choice(std::string name, std::vector<std::string> names, std::string help,
                 std::function<void(std::size_t)> set, std::function<std::size_t()> get);
  void assign(Option& option, std::vector<std::string> const& values, std::string const& shown_as);
  void read_config(std::filesystem::path const& file, std::vector<bool> const& on_command_line);
  [[nodiscard]] std::string unknown(std::string const& argument) const;
  void check_common() const;

  std::string name_;
  std::string description_;
  std::deque<Option> options_;  // references to options stay valid
  CommonOptions const* common_ = nullptr;
  std::optional<std::string> config_;
  std::function<void()> check_;
};

}  // namespace fltr::examples
