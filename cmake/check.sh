#!/bin/sh
# Installs missing packages, builds everything, runs all tests and then the quick start. The argument is a build preset,
# `dev` by default:
#   sh cmake/check.sh [dev|clang|asan|tsan]
# Tests on real data read the folder in FLTR_DATA and are skipped if it is not set.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

preset=${1:-dev}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

case $preset in
  clang) setup check clang ;;
  *) setup check ;;
esac
say "configuring build/$preset"
cmake --preset "$preset" ${toolchain:+"$toolchain"}
say "building tests, programs and benchmarks, and every header alone"
cmake --build --preset "$preset" --target all all_verify_interface_header_sets --parallel "$jobs"
say "running the tests"
ctest --preset "$preset" --parallel "$jobs" --no-tests=error
# The first command of the README, with the compiler flags of its preset `release`.
say "running the quick start"
rm -rf "build/$preset/quickstart"
sh cmake/quickstart.sh --out "build/$preset/quickstart"
