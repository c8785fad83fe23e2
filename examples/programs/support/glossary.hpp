#pragma once

#include <span>
#include <string>

namespace fltr::examples {

struct GlossaryRow {
  std::string term;
  std::string meaning;
};

/// The rows of the table in the section "Glossary" of ARCHITECTURE.md. cmake/generate_glossary.cmake writes the
/// function's source into the build folder.
[[nodiscard]] std::span<GlossaryRow const> glossary_rows();

}  // namespace fltr::examples
