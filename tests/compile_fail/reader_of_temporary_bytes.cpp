// build error: (use of deleted function|call to deleted constructor).*FieldReader
#include <fltr/core/fields.hpp>

std::vector<std::byte> receive();

// The reader would refer to bytes that are destroyed at the end of the statement.
fltr::FieldReader reader(receive());
