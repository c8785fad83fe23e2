#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

namespace fltr::examples {

inline constexpr char const* own_group = "Options of this program";
inline constexpr char const* common_group = "Options that all programs share";

/// CLI11's help with its texts wrapped at a width, and the program's own options before the shared ones.
class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t width) : width_(width) {}

  [[nodiscard]] std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode mode) const override;
  [[nodiscard]] std::string make_option(CLI::Option const* option, bool is_positional) const override;

 private:
  std::size_t width_;
};

/// The terms and meanings of ARCHITECTURE.md's section "Glossary", wrapped at a width.
[[nodiscard]] std::string glossary(std::size_t width);

}  // namespace fltr::examples
