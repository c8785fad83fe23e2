// build error: (use of deleted function|call to deleted constructor).*FieldReader
#include <fltr/core/fields.hpp>

std::vector<std::byte> receive();

// The reader would refer to bytes that are gone at the semicolon.
fltr::FieldReader reader(receive());
