# cmake -D INPUT=ARCHITECTURE.md -D OUTPUT=glossary.cpp -P generate_glossary.cmake writes the table of the section
# "Glossary" as the C++ function that examples/programs/support/glossary.hpp declares.
cmake_minimum_required(VERSION 3.25)

file(READ ${INPUT} text)
string(REGEX REPLACE "^.*\n## Glossary\n" "" text "${text}")
string(REGEX REPLACE "\n## .*$" "" text "${text}")
string(REPLACE "`" "" text "${text}")
set(rows "")
# Not a CMake list of lines: brackets and semicolons in a line would join or split its elements.
while(text MATCHES "^([^\n]*)\n(.*)$")
  set(line "${CMAKE_MATCH_1}")
  set(text "${CMAKE_MATCH_2}")
  if(NOT line MATCHES "^\\| (term|---) " AND line MATCHES "^\\| (.*[^ ]) +\\| (.*[^ ]) +\\|$")
    string(APPEND rows "      {R\"~(${CMAKE_MATCH_1})~\", R\"~(${CMAKE_MATCH_2})~\"},\n")
  endif()
endwhile()
if(rows STREQUAL "")
  message(FATAL_ERROR "${INPUT}: required a section \"## Glossary\" with a table | term | meaning |, got none")
endif()
file(
  CONFIGURE
  OUTPUT ${OUTPUT}
  CONTENT
    "// Generated from the section \"Glossary\" of ARCHITECTURE.md.
#include \"support/glossary.hpp\"

namespace fltr::examples {

std::span<GlossaryRow const> glossary_rows() {
  static GlossaryRow const rows[] = {
@rows@  };
  return rows;
}

}  // namespace fltr::examples
"
  @ONLY)
