#!/usr/bin/env bash
# The same request gives the same bytes on another compiler and another standard library: the program
# built by clang with libc++ beside the release build, on the grid of tools/gaps.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build release faro_program
faro_build libcxx faro_program
tools/gaps --same build/libcxx/faro
