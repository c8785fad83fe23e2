// The implementation of nanobench: some of its packages have no library, only the header.
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>
