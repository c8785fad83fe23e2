#!/bin/sh
# Installs missing packages, builds everything, runs all tests and then the quick start. The argument is a build preset,
# `dev` by default:
#   sh cmake/check.sh [dev|clang|asan|tsan]
# or --fuzz: builds the fuzzers with clang and runs each of them for 60 seconds, or FLTR_FUZZ_SECONDS:
#   sh cmake/check.sh --fuzz
# or --threads: builds only the unit tests that run threads, with the thread sanitizer, and runs them:
#   sh cmake/check.sh --threads
# Tests on real data read the folder in FLTR_DATA and are skipped if it is not set.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

preset=${1:-dev}
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# Findings and new inputs are in build/fuzz/found/<target>.
run_fuzzers() {
  setup check clang
  say "building the fuzzers"
  cmake --preset clang -B build/fuzz -DFLTR_FUZZ=ON -DFLTR_BUILD_EXAMPLES=OFF -DFLTR_BUILD_BENCHMARKS=OFF ${toolchain:+"$toolchain"}
  cmake --build build/fuzz --target fuzzers --parallel "$jobs"
  for corpus in tests/fuzz/corpus/*/; do
    target=$(basename "$corpus")
    found=build/fuzz/found/$target
    mkdir -p "$found"
    say "fuzzing $target for ${FLTR_FUZZ_SECONDS:-60} s"
    "build/fuzz/tests/fuzz/${target}_fuzz" -max_total_time="${FLTR_FUZZ_SECONDS:-60}" -print_final_stats=1 \
      -artifact_prefix="$found/finding-" "$found" "$corpus"
  done
}
if [ "$preset" = --fuzz ]; then
  run_fuzzers
  exit
fi

if [ "$preset" = --threads ]; then
  setup check
  say "building the tests with threads"
  cmake --preset tsan ${toolchain:+"$toolchain"}
  cmake --build --preset tsan --target threaded_tests --parallel "$jobs"
  TSAN_OPTIONS="suppressions=$PWD/cmake/tsan.supp" build/tsan/tests/threaded_tests
  exit
fi

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
