#!/bin/sh
# Runs the unit tests under the address and undefined-behaviour sanitizers, without real data and without the audits, which draw
# millions of random numbers. It compiles for this machine's processor, so that the kernels for its widest registers are tested; the
# preset `dev` compiles for plain x86-64. Warnings are not errors here, because g++ 12 reports its own AVX-512 intrinsics.
#   sh cmake/check_sanitizers.sh
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
setup check
build=build/asan-unit # not build/asan: other options
say "building the unit tests with sanitizers in $build"
cmake --preset asan -B $build -DFLTR_NATIVE=ON -DFLTR_WERROR=OFF -DFLTR_BUILD_EXAMPLES=OFF -DFLTR_BUILD_BENCHMARKS=OFF ${toolchain:+"$toolchain"}
cmake --build $build --target unit_tests --parallel "$jobs"
say "running the unit tests with sanitizers"
env -u FLTR_DATA UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir $build --output-on-failure --parallel "$jobs" \
  --no-tests=error -L unit -LE slow
