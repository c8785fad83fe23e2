// nanobench's implementation, where it was found: some of its packages have a library for it, some only the header.
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>
