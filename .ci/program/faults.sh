# Every call of the file system fails, memory cannot be had, signals come at any time, two write one
# file: afterwards there is the old file or the whole new one, nothing else, and the program has said so.
cd "$fast" && mkdir faults && cd faults || exit 1
full=${FARO_FULL:-0}

py "np.save('in.npy', np.random.default_rng(5).integers(0, 2**63, 2**14))
np.save('sums.npy', np.arange(2**8))"
"$faro" plan 'a:6 -> ungray(a)' --on cube:6 --elements 40 --schedule plan.json >/dev/null

# What is done, by name: OUT is written. `way` makes all ready; without OUT nothing is written.
way() {
  rm -f out.*
  out=
  case $1 in
    permute) out=out.npy; command=("$faro" permute in.npy $out --map 'i -> rev(i)' --verify) ;;
    in-place) out=out.npy; cp in.npy $out; command=("$faro" permute $out --in-place --map 'i -> rev(i)') ;;
    over) out=out.npy; cp sums.npy $out; command=("$faro" permute in.npy $out --map 'i -> ~i') ;;
    transform) out=out.npy; command=("$faro" transform wht sums.npy $out --on cube:2 --json) ;;
    plan) out=out.json; command=("$faro" plan 'a:5 -> ungray(a)' --on cube:5 --elements 9 --schedule $out --json) ;;
    convert) out=out.csv; command=("$faro" convert plan.json $out) ;;
    verify) command=("$faro" verify plan.json --by both --json) ;;
    explain) command=("$faro" explain 'r:3 c:2 -> gray(c) rev(r)' --json) ;;
  esac
}
ways="permute in-place over transform plan convert"
for way in $ways; do
  way $way
  quietly "${command[@]}" || bad "$way: $(cat "$stderr")"
  cp $out whole.$way
done

# judge NAME WAY CODE: what is there after exit code CODE
judge() {
  if [ "$3" != 0 ] && [ "$3" != 3 ]; then bad "$1: exit code $3: $(head -c 200 "$stderr")"; fi
  if [ "$3" = 3 ] && [ ! -s "$stderr" ]; then bad "$1: not a word"; fi
  if [ -z "$out" ]; then return; fi
  if cmp -s $out whole.$2; then ok; return; fi
  case $2 in
    in-place) cmp -s $out in.npy ;;
    over) cmp -s $out sums.npy ;;
    *) test ! -e $out ;;
  esac || bad "$1: what has the name is neither old nor whole"
  if [ "$3" = 0 ]; then bad "$1: nothing was said and nothing made"; else ok; fi
}
nothing_left() { check "$1: nothing is left" test -z "$(find . -name '.*faro*')"; }

for way in $ways; do
  reached=0
  for call in access open mkostemp faccessat lstat fstat stat readlink read write mmap posix_fallocate ftruncate \
    fchmod fchown fsync linkat rename close lseek fstatvfs unlink madvise posix_fadvise; do
    calls=$call
    way $way
    total=$(calls_of "${command[@]}")
    for k in $(places "$total" 4); do
      way $way
      quietly at "$k" fail "${command[@]}"; code=$?
      judge "$way, $call $k fails" $way $code
      # A name that cannot be taken away stays, and one whose file fails to close.
      if [ $call != unlink ]; then nothing_left "$way, $call $k fails"; fi
      find . -name '.*faro*' -delete
      reached=$((reached + 1))
    done
  done
  check "$way: calls that could fail: $reached" test $reached -ge 10
done

# Memory that cannot be had once, and never again; FARO_EVERY=1: at every request.
requests() { if [ "${FARO_EVERY:-0}" = 1 ]; then seq 0 $(($1 - 1)); else places "$1" 25 1000; fi; }
calls=memory
for way in $ways verify explain; do
  way $way
  quietly "${command[@]}"; cp "$stdout" said.$way
  total=$(calls_of "${command[@]}")
  check "$way: asks for memory $total times" test "$total" -gt 30
  refused=0
  for k in $(requests "$total"); do
    for mode in fail fail-from; do
      way $way
      quietly at "$k" $mode "${command[@]}"; code=$?
      judge "$way, memory $k, $mode" $way $code
      [ $code = 3 ] && refused=$((refused + 1))
      nothing_left "$way, memory $k, $mode"
    done
  done
  check "$way: there was no memory" test $refused -gt 20
done

# Signals at any time.
py "np.save('in.npy', np.random.default_rng(6).integers(0, 2**63, 2**19))"
rm whole.*
for way in permute in-place over; do way $way; quietly "${command[@]}"; cp $out whole.$way; done
runs=$([ "$full" = 1 ] && echo 334 || echo 14)
RANDOM=11 ended=0
# by Python because a shell lets what it starts in the background ignore SIGINT
hearing=("$python" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])')
for way in permute in-place over; do
  way $way
  begun=$(date +%s%N); quietly "${hearing[@]}" "${command[@]}"; took=$((($(date +%s%N) - begun) / 1000))
  for i in $(seq "$runs"); do
    signal=$(printf '%s\n' TERM INT KILL | sed -n $((i % 3 + 1))p)
    way $way
    "${hearing[@]}" "${command[@]}" >"$stdout" 2>"$stderr" &
    one=$!
    sleep "$(printf '0.%06d' $(((RANDOM * 32768 + RANDOM) % took)))"
    kill -$signal $one 2>/dev/null
    wait $one 2>/dev/null; code=$?
    case $code in 130 | 137 | 143) code=3 ended=$((ended + 1)); echo "SIG$signal" >>"$stderr" ;; esac
    judge "$way, SIG$signal" $way $code
    if [ $signal != KILL ]; then nothing_left "$way, SIG$signal"; fi
    find . -name '.*faro*' -delete
  done
done
check "signals: $ended of $((3 * runs)) came before the end" test $ended -gt $runs

# Two at once: one of both, whole.
"$faro" permute in.npy other.npy --map 'i -> ~i' >/dev/null 2>&1
for i in $(seq "$([ "$full" = 1 ] && echo 100 || echo 10)"); do
  rm -f out.npy
  "$faro" permute in.npy out.npy --map 'i -> rev(i)' >/dev/null 2>&1 & one=$!
  "$faro" permute in.npy out.npy --map 'i -> ~i' >/dev/null 2>&1 & two=$!
  wait $one; first=$?; wait $two; second=$?
  check "two at once: exit codes $first $second" test $first$second = 00
  check "two at once: one of both" sh -c 'cmp -s out.npy whole.permute || cmp -s out.npy other.npy'
  nothing_left "two at once"
done
