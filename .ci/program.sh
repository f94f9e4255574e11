#!/usr/bin/env bash
# The program from end to end: exit codes, pipes, colour, files that are complete or absent.
# usage: .ci/program.sh [PROGRAM [PART...]]   parts are named as their files in .ci/program, all if none is;
# prints a line for each failure, then how many passed and failed
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
faro=$(realpath "${1:-$root/build/release/faro}")
python=/usr/bin/python3
work=$(mktemp -d)
# Where a sync costs nothing, for what is synced thousands of times.
fast=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
# Only by the script itself: what it has started in the background inherits the trap until it becomes its program,
# and a signal may come before that.
trap '[ $BASHPID = $$ ] && rm -rf "$work" "$fast"' EXIT
stdout=$work/stdout stderr=$work/stderr
cd "$work" || exit 1
passed=0
failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); printf 'FAILED: %s\n' "$1"; }
check() { if "${@:2}"; then ok; else bad "$1"; fi; }

# exits NAME CODE COMMAND...: the exit code; stdout and stderr are kept in files of these names.
exits() {
  local name=$1 code=$2 got=0
  shift 2
  "$@" >"$stdout" 2>"$stderr" || got=$?
  if [ "$got" = "$code" ]; then ok; else bad "$name: exit code $got, wanted $code: $(head -c 300 "$stderr")"; fi
}
says() { if grep -qF -- "$2" "$stderr"; then ok; else bad "$1: stderr lacks '$2': $(head -c 300 "$stderr")"; fi; }
prints() { if grep -qF -- "$2" "$stdout"; then ok; else bad "$1: stdout lacks '$2'"; fi; }
# cases <<'END': lines "CODE :: ARGUMENTS OF faro :: WORDS"; the words are in what it prints where the code is 0,
# else in what it says, and may be left out.
cases() {
  local line code arguments words
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    code=${line%% :: *} arguments=${line#* :: } words=
    case $arguments in *" :: "*) words=${arguments##* :: } arguments=${arguments% :: *} ;; esac
    eval "exits \"\$arguments\" $code \"\$faro\" $arguments"
    [ -n "$words" ] || continue
    if [ "$code" = 0 ]; then prints "$arguments" "$words"; else says "$arguments" "$words"; fi
  done
}
silent() { if [ ! -s "$work/$2" ]; then ok; else bad "$1: $2 is not empty: $(head -c 200 "$work/$2")"; fi; }
py() { "$python" -c "import numpy as np, sys; $1"; }
# same FILE EXPRESSION: the array in FILE is the NumPy expression, in type, shape and value
same() {
  if py "a = np.load('$2'); b = $3; sys.exit(not (a.dtype == b.dtype and a.shape == b.shape and (a == b).all()))"
  then ok; else bad "$1: wrong array"; fi
}
# Instructions, counted by valgrind: the same on a slow, a fast and a busy machine.
# instructions_below NAME MILLIONS COMMAND...
instructions_below() {
  local name=$1 limit=$2 counted
  shift 2
  counted=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
    sed -nE 's/.*I +refs: +//p' | tr -d ,)
  check "$name: $((counted / 1000000)) million instructions, at most $limit" test "${counted:-0}" -gt 0 -a "${counted:-0}" -lt "${limit}000000"
}
only() { if [ "$(ls -A "$2" | tr '\n' ' ')" = "$3" ]; then ok; else bad "$1: found $(ls -A "$2" | tr '\n' ' ')"; fi; }

# Faults at the k-th call that touches a file or asks for memory, whatever the machine's speed.
shim=$(dirname "$faro")/tests/libfaro_fault_shim.so
[ -e "$shim" ] || { shim=$work/shim.so && c++ -std=c++20 -O1 -shared -fPIC -o "$shim" "$root/tests/fault/shim.cpp" -ldl; }
# at K MODE COMMAND...: the command, with something done to it at its K-th call of $calls, from 0
at() { FARO_FAULT_CALLS=$calls FARO_FAULT_AT=$1 FARO_FAULT=$2 LD_PRELOAD=$shim "${@:3}"; }
calls_of() { FARO_FAULT_COUNT=$work/count at -1 none "$@" >/dev/null 2>&1; cat "$work/count"; }
quietly() { "$@" >"$stdout" 2>"$stderr"; }
# places TOTAL POINTS [FULL]: so many of 0 .. TOTAL - 1, spread; in the long form FULL, all without it
places() {
  local points=$2
  if [ "${FARO_FULL:-0}" = 1 ]; then points=${3:-$1}; fi
  local step=$(($1 > points ? $1 / points : 1))
  seq $((step / 2)) "$step" $(($1 - 1))
}

# Kept: a part may set parameters of its own.
asked=" ${*:2} "
for part in "$root"/.ci/program/*.sh; do
  if [ -n "${asked// /}" ] && ! [[ "$asked" == *" $(basename "$part" .sh) "* ]]; then continue; fi
  mkdir "$work/$(basename "$part" .sh)" && cd "$work/$(basename "$part" .sh)" || exit 1
  # shellcheck source=/dev/null
  . "$part"
done
echo "program: $passed passed, $failed failed"
[ "$failed" = 0 ]
