// The main function of the test programs, where Catch2 is one header (2.13).
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
