#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fltr::examples {

/// Wrong usage: the program ends with status 2. Programs throw it too, for options that do not go together.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The numbers that an option accepts. NaN and infinities never are.
struct Range {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool least_included = true;
  bool most_included = true;

  [[nodiscard]] bool contains(double value) const noexcept {
    return (least_included ? value >= least : value > least) && (most_included ? value <= most : value < most);
  }
  /// "a number above 0 and up to 1"
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] constexpr Range above(double least) noexcept { return {.least = least, .least_included = false}; }
[[nodiscard]] constexpr Range at_least(double least) noexcept { return {.least = least}; }
[[nodiscard]] constexpr Range between(double least, double most) noexcept { return {.least = least, .most = most}; }

/// One option of a program: how it is read, from the command line or a file, and how it stands in run.json.
struct Option {
  enum class Kind { flag, single, list, positional };
  /// How a program uses the files that the value names.
  enum class Use { none, reads, writes, writes_folder };

  std::string name;           ///< "--clients", or a bare word for a positional argument
  std::string placeholder{};  ///< "N"
  std::string help;
  std::string wants;  ///< "a whole number from 1 to 10": the end of "--clients needs …"
  Kind kind = Kind::single;

  std::function<bool(std::string const&)> assign;  ///< false: the text is not what it wants
  std::function<void()> clear{};                   ///< for options that may be without a value: `null` in run.json
  std::function<std::string()> json;               ///< the value as used, as JSON text
  Use use = Use::none;
  std::function<std::vector<std::string>()> paths{};  ///< the files that the value names, if the option is used
  std::vector<std::string> files{};                   ///< the files that are written into a folder

  std::optional<std::string> implicit{};  ///< the value of a bare "--name", where that is allowed
  bool required = false;
  bool repeated = true;   ///< taken back from an earlier run's run.json
  bool assigned = false;  ///< from wherever
  bool given = false;     ///< by a person, see Program::given
  bool common = false;
  bool ignored = false;                  ///< see Program::ignore
  std::optional<std::string> null_in{};  ///< the file that says `null`, though the option has to have a value

  /// The name in run.json: "--learning-rate" is learning_rate.
  [[nodiscard]] std::string key() const;
};

}  // namespace fltr::examples
