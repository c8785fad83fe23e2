#include <cstdlib>

#include "all_headers.hpp"

void const* address_in_second();

int main() {
  // An inline variable has the same address in both translation units.
  return address_in_second() == &fltr::version ? EXIT_SUCCESS : EXIT_FAILURE;
}
