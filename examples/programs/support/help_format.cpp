#include "help_format.hpp"

#include <algorithm>
#include <vector>

#include "glossary.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr std::size_t column = 28;

/// `left`, and from the column on `right`, wrapped at the width.
std::string two_columns(std::string const& left, std::string const& right, std::size_t width) {
  std::string text = "  " + left;
  std::size_t used = character_count(text);
  if (used + 2 > column) {
    text += '\n';
    used = 0;
  }
  for (std::string const& line : wrapped(right, std::max(width, column + 20) - column)) {
    text += std::string(column - used, ' ') + line + '\n';
    used = 0;
  }
  return text;
}

std::string paragraph(std::string const& text, std::size_t width) { return join(wrapped(text, width), "\n") + '\n'; }

}  // namespace

std::string HelpFormat::make_help(CLI::App const* app, std::string name, CLI::AppFormatMode) const {
  auto const options_if = [&](auto const& condition) {
    return app->get_options([&](CLI::Option const* option) { return condition(*option); });
  };
  std::string text = "usage: " + name;
  for (CLI::Option const* option : options_if([](CLI::Option const& o) { return o.get_positional(); }))
    text += ' ' + option->get_name(true);
  text += " [options]\n\n" + paragraph(app->get_description(), width_);
  for (std::string const group : {own_group, common_group})
    if (auto const options = options_if([&](CLI::Option const& o) { return o.get_group() == group; }); !options.empty())
      text += make_group(group, false, options);
  return text + '\n' + paragraph(app->get_footer(), width_);
}

std::string HelpFormat::make_option(CLI::Option const* option, bool) const {
  std::string name = option->get_name(option->get_positional(), true);
  if (!option->get_option_text().empty()) name += ' ' + option->get_option_text();
  return two_columns(name, option->get_description(), width_);
}

std::string glossary(std::size_t width) {
  std::string text;
  for (GlossaryRow const& row : glossary_rows()) text += two_columns(row.term, row.meaning, width);
  return text;
}

}  // namespace fltr::examples
