// first error: fltr: FieldReader refers to its bytes, so they must not be a temporary
#include <fltr/core/fields.hpp>

std::vector<std::byte> receive();

// The reader would refer to bytes that are destroyed at the end of the statement.
fltr::FieldReader reader(receive());
