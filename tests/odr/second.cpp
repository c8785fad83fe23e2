#include "all_headers.hpp"

void const* address_in_second();
void const* address_in_second() { return &fltr::version; }
