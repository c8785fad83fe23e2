#!/bin/sh
# Quick start: installs missing packages, builds the program fpdgd and runs it on a synthetic data set. Options of the
# program can be added:
#   sh cmake/quickstart.sh [--epsilon 4.5 ...]
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

setup programs
say "configuring build/release"
cmake --preset release ${toolchain:+"$toolchain"}
say "building examples/fpdgd"
cmake --build --preset release --target fpdgd
case " $* " in
  *' --out '* | *' --out='*) where="the folder of --out" ;;
  *)
    where=out/quickstart
    set -- --out $where --force "$@"
    ;;
esac
say "1000 clients learn to rank, 4 queries each in every one of 100 rounds"
build/release/examples/fpdgd --data synthetic:mq2007 --clients 1000 --interactions 4 --rounds 100 "$@"
say "the curve is in $where: curve.svg, and its numbers in rounds.csv"
