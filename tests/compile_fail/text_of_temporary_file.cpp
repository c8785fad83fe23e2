// first error: fltr: the text is that of a MappedFile, which must not be a temporary
#include <fltr/formats/mapped_file.hpp>

// The text would refer to a mapping that is destroyed at the end of the statement.
auto text = fltr::MappedFile("train.txt").text();
