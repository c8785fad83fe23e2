// The main function of the test programs for Catch2 2.13. Catch2 3.x has it in a library.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
