// The suite `compilation` compiles this file.
#include <fltr/fltr.hpp>
