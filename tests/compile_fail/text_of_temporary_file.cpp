// build error: (use of deleted function|call to deleted member function).*text
#include <fltr/data/mapped_file.hpp>

// The text would refer to a mapping that is gone at the semicolon.
auto text = fltr::MappedFile("train.txt").text();
