#!/bin/sh
# record_command.sh FILE COMMAND...: runs a command and writes its arguments to FILE, one per line. CMake starts the compiler with it,
# so that the suite `compilation` can repeat what CMake did.
file=$1
shift
printf '%s\n' "$@" >"$file"
exec "$@"
