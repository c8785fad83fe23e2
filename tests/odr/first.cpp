#include <cstdlib>

#include "all_headers.hpp"

void const* address_in_second();

int main() {
  // One inline variable is one object in the whole program.
  return address_in_second() == &fltr::version ? EXIT_SUCCESS : EXIT_FAILURE;
}
