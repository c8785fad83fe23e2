// build error: (use of deleted function|call to deleted member function).*text
#include <fltr/formats/mapped_file.hpp>

// The text would refer to a mapping that is destroyed at the end of the statement.
auto text = fltr::MappedFile("train.txt").text();
