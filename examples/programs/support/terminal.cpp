#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

namespace fltr::examples {

namespace {

std::string_view variable(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// The first of these variables that is set decides, as for setlocale(LC_CTYPE, "").
bool locale_is_utf8() {
  for (char const* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(variable(name));
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Terminal Terminal::of(std::FILE* stream) {
  Terminal terminal;
  int const descriptor = fileno(stream);
  bool const dumb = variable("TERM") == "dumb";
  bool const tty = descriptor >= 0 && isatty(descriptor) == 1;
  terminal.interactive = tty && !dumb;
  terminal.utf8 = !dumb && locale_is_utf8();
  winsize size{};
  if (tty && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  return terminal;
}

}  // namespace fltr::examples
