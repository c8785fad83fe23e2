#pragma once

#include <cstddef>
#include <cstdio>

namespace fltr::examples {

/// The abilities of the terminal or file to which a stream writes.
struct Terminal {
  bool interactive = false;  ///< a terminal, on which a line can be overwritten
  std::size_t width = 72;
  bool utf8 = false;

  /// Depends on the stream and on the variables of the locale; 72 columns if the stream is not a terminal.
  [[nodiscard]] static Terminal of(std::FILE* stream);
};

}  // namespace fltr::examples
