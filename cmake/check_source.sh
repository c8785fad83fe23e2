#!/bin/sh
# Checks the source code without running it: the format of every file (clang-format 19), and that clang compiles every header,
# example, program and benchmark (syntax only).
#   sh cmake/check_source.sh [format|clang]
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

check_format() {
  say "checking the format"
  find include examples tests benchmarks -name '*.hpp' -o -name '*.cpp' >"$folder/files"
  [ -s "$folder/files" ] || give_up "there is no source file in $PWD"
  xargs -n 16 -P "$jobs" clang-format-19 --dry-run --Werror <"$folder/files"
}

# One translation unit includes every header; the others are the examples, the programs with their support, and the benchmarks.
# benchmarks/support/nanobench.cpp needs nanobench itself, which Debian does not have; CMake compiles it only if it is found.
# Headers that need MPI are left out where there is no MPI.
check_clang() {
  say "compiling every header, example, program and benchmark with clang"
  without_mpi='execution/mpi.hpp|execution/detail/rank_group.hpp'
  mpi_flags=-DOMPI_SKIP_MPICXX
  if folders=$(mpicxx --showme:incdirs 2>/dev/null); then
    without_mpi='^$'
    for mpi_folder in $folders; do mpi_flags="$mpi_flags -isystem $mpi_folder"; done
  fi
  (cd include && find fltr -name '*.hpp' | grep -Ev "$without_mpi" | sort | sed 's/.*/#include <&>/') >"$folder/every_header.cpp"
  { echo "$folder/every_header.cpp"; find examples benchmarks -name '*.cpp' ! -path benchmarks/support/nanobench.cpp; } >"$folder/files"
  # shellcheck disable=SC2086  # a list of words
  xargs -n 1 -P "$jobs" clang++ -std=c++20 -fsyntax-only -ffp-contract=off -Wall -Wextra -Wconversion -Wsign-conversion \
    -Wshadow -Wpedantic -Werror -DFMT_SHARED -Iinclude -Iexamples/programs -Ibenchmarks $mpi_flags <"$folder/files"
}

setup check clang clang-format-19
for tool in clang++ clang-format-19; do
  command -v $tool >/dev/null 2>&1 || give_up "there is no $tool on the PATH"
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case ${1:-all} in
  format) check_format ;;
  clang) check_clang ;;
  all)
    check_format
    check_clang
    ;;
  *) give_up "required format or clang, got $1" ;;
esac
