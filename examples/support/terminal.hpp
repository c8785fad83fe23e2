#pragma once

#include <cstddef>
#include <cstdio>

namespace fltr::examples {

/// What the place that a text goes to can show.
struct Terminal {
  bool interactive = false;  ///< a person is watching, so a line may be drawn over
  std::size_t width = 72;
  bool utf8 = false;

  /// Looks at the stream and at the locale's variables; 72 columns where it is no terminal.
  [[nodiscard]] static Terminal of(std::FILE* stream);
};

}  // namespace fltr::examples
