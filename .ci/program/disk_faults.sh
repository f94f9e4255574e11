# faro permute --memory: killed, interrupted, with a disk that fails, and gone on with. All happens at
# the k-th call that touches a file, whatever the machine's speed.
cd "$fast" || exit 1
calls="pread pwrite fdatasync fallocate rename renameat2"

py "np.random.default_rng(7).integers(0, 2**63, 2**18, dtype='<u8').tofile('part.raw')"
what=(--element-bytes 8 --map 'i -> rev(i)' --memory 48.5MiB --checkpoint 0 --io buffered)
exits "in memory" 0 "$faro" permute part.raw wanted.raw --element-bytes 8 --map 'i -> rev(i)'

# Each way: how it begins, and the command. The result is run.raw.
way() {
  rm -rf run.raw .run.raw.faro
  case $1 in
    copy) command=("$faro" permute part.raw run.raw "${what[@]}" --passes 3 --verify) ;;
    within) command=("$faro" permute part.raw run.raw "${what[@]}" --passes 2 --no-temporary) ;;
    in-place) cp part.raw run.raw; command=("$faro" permute run.raw --in-place "${what[@]}" --run 8KiB --verify) ;;
  esac
}
# judge NAME WAY: under its name stands all, or in place what was there, or nothing; then on to the end
judge() {
  if [ -e run.raw ] && ! cmp -s wanted.raw run.raw && ! { [ "$2" = in-place ] && cmp -s part.raw run.raw; }; then
    bad "$1: what has the name is not whole"
  fi
  if [ -e .run.raw.faro ]; then
    quietly "$faro" permute --resume run.raw --checkpoint 0 --io buffered; local code=$?
    # stopped before the first line of the journal was whole: there is nothing to go on with
    if [ $code = 2 ]; then quietly "${command[@]}"; elif [ $code != 0 ]; then bad "$1: resume: $(cat "$stderr")"; fi
  elif ! cmp -s wanted.raw run.raw; then
    quietly "${command[@]}"
  fi
  check "$1: gone on with" cmp -s wanted.raw run.raw
  check "$1: nothing is left of it" test ! -e .run.raw.faro
}

points=$([ "${FARO_FULL:-0}" = 1 ] && echo 200 || echo 7)
for way in ${WAYS-copy within in-place}; do
  way $way
  total=$(calls_of "${command[@]}")
  check "$way: there are calls to be killed at" test "$total" -gt 150
  killed=0
  for i in $(seq "$points"); do
    k=$((i * 7919 % total))
    way $way
    quietly at $k kill "${command[@]}"; code=$?
    [ $code = 137 ] && killed=$((killed + 1))
    judge "$way, killed at $k" $way
  done
  check "$way: killed every time" test $killed = "$points"

  # An error of each call: of its first, one in the middle, its last. What was short is completed.
  for call in pread:EIO pwrite:EIO pwrite:ENOSPC fdatasync:EIO fallocate:ENOSPC; do
    way $way
    all=$calls calls=${call%:*}
    total=$(calls_of "${command[@]}")
    for k in 0 $((total / 2)) $((total - 1)); do
      way $way
      export FARO_FAULT_ERRNO=$([ "${call#*:}" = EIO ] && echo 5 || echo 28)
      exits "$way, $call at $k" 3 at $k fail "${command[@]}"
      grep -qiE "input/output error|no space|no room" "$stderr" || bad "$way, $call at $k: $(cat "$stderr")"
      unset FARO_FAULT_ERRNO
      judge "$way, $call at $k" $way
    done
    if [ "${call#*:}" = EIO ] && [ "$calls" != fdatasync ]; then
      way $way
      exits "$way, short $calls" 0 at $((total / 2)) short "${command[@]}"
      check "$way, short $calls" cmp -s wanted.raw run.raw
    fi
    calls=$all
  done

  # Every other call.
  all=$calls reached=0
  for calls in open fstat stat ftruncate mkdir flock statvfs fstatvfs fsync close mmap msync unlink \
    faccessat sync_file_range posix_fadvise; do
    way $way
    total=$(calls_of "${command[@]}")
    for k in $(places "$total" 2); do
      way $way
      quietly at "$k" fail "${command[@]}"; code=$?
      check "$way, $calls at $k: exit code $code" test $code = 0 -o $code = 3
      if [ $code = 0 ]; then check "$way, $calls at $k: whole" cmp -s wanted.raw run.raw; else
        check "$way, $calls at $k: said" test -s "$stderr"; fi
      judge "$way, $calls at $k" $way
      reached=$((reached + 1))
    done
  done
  calls=$all
  check "$way: calls that could fail: $reached" test $reached -gt 15

  for signal in term:143 int:130; do
    way $way
    total=$(calls_of "${command[@]}")
    way $way
    exits "$way, a signal" "${signal#*:}" at $((total / 2)) "${signal%:*}" "${command[@]}"
    says "$way, a signal" "--resume run.raw"
    if [ $way = in-place ]; then
      check "in place: it has no name meanwhile" test ! -e run.raw
      check "in place: what is there says so" grep -q "only copy" .run.raw.faro/README.txt
      exits "in place: another command" 3 "$faro" permute run.raw other.raw --element-bytes 8 --map identity
      says "in place: another command" ".run.raw.faro/array"
    fi
    judge "$way, $signal" $way
  done
done

# an unfinished run is never overlooked; a changed input and a damaged journal are
way copy
total=$(calls_of "${command[@]}")
way copy
FARO_FAULT_CALLS=$calls FARO_FAULT_AT=$((total / 2)) FARO_FAULT=stop LD_PRELOAD=$shim "${command[@]}" >/dev/null 2>&1 & one=$!
until grep -q '^State:.T' /proc/$one/status 2>/dev/null || ! kill -0 $one 2>/dev/null; do sleep 0.02; done
exits "a second process" 3 "${command[@]}" --fresh; says "a second process" "another process"
exits "a second process that resumes" 3 "$faro" permute --resume run.raw; says "a second process that resumes" "another process"
kill -TERM $one; kill -CONT $one; wait $one; code=$?
check "SIGTERM: exit code $code" test $code = 143
exits "an unfinished run" 2 "${command[@]}"; says "an unfinished run" "--resume"; says "an unfinished run" "--fresh"
cp -p part.raw kept.raw
printf x | dd of=part.raw bs=1 conv=notrunc 2>/dev/null
exits "a changed input" 3 "$faro" permute --resume run.raw; says "a changed input" "was changed"
cat kept.raw >part.raw; touch -r kept.raw part.raw
truncate -s -8 part.raw; touch -r kept.raw part.raw
exits "an input cut short" 3 "$faro" permute --resume run.raw; says "an input cut short" "was changed"
cat kept.raw >part.raw; touch -r kept.raw part.raw
cp .run.raw.faro/journal good
printf 'xxxx' | dd of=.run.raw.faro/journal bs=1 seek=20 conv=notrunc 2>/dev/null
exits "a damaged journal" 3 "$faro" permute --resume run.raw; says "a damaged journal" "damaged"
cp good .run.raw.faro/journal
printf 'xxxx' | dd of=.run.raw.faro/journal bs=1 seek=$(($(head -1 good | wc -c) + 40)) conv=notrunc 2>/dev/null
exits "a damaged record" 3 "$faro" permute --resume run.raw; says "a damaged record" "damaged at byte"
cp good .run.raw.faro/journal
head -c 4096 /dev/zero | dd of=.run.raw.faro/journal conv=notrunc 2>/dev/null
exits "a journal of zeros" 3 "$faro" permute --resume run.raw; says "a journal of zeros" "damaged"
exits "a journal of zeros and a new run" 3 "${command[@]}"; says "a journal of zeros and a new run" "--fresh"
: >.run.raw.faro/journal
exits "an empty journal" 3 "$faro" permute --resume run.raw; says "an empty journal" "damaged"
check "of what is damaged nothing is removed" test -s .run.raw.faro/data
cp good .run.raw.faro/journal
printf 'half a reco' >>.run.raw.faro/journal
mv .run.raw.faro/data hidden
exits "data that is gone" 3 "$faro" permute --resume run.raw; says "data that is gone" "is gone"
mv hidden .run.raw.faro/data
exits "a torn record at the end" 0 "$faro" permute --resume run.raw
check "gone on with" cmp -s wanted.raw run.raw

# an input that is written to while it is read
way copy
total=$(calls_of "${command[@]}")
way copy
FARO_FAULT_CALLS=$calls FARO_FAULT_AT=40 FARO_FAULT=stop LD_PRELOAD=$shim "${command[@]}" >/dev/null 2>"$stderr" & one=$!
until grep -q '^State:.T' /proc/$one/status 2>/dev/null || ! kill -0 $one 2>/dev/null; do sleep 0.02; done
printf x | dd of=part.raw bs=1 seek=1000 conv=notrunc 2>/dev/null
kill -CONT $one; wait $one; code=$?
check "changed while it is read: exit code $code" test $code = 3
says "changed while it is read" "was changed while it was read"
check "changed while it is read: nothing has the name" test ! -e run.raw
exits "changed while it is read, gone on with" 3 "$faro" permute --resume run.raw; says "changed while it is read, gone on with" "was changed"
cat kept.raw >part.raw
exits "changed while it is read, begun anew" 0 "${command[@]}" --fresh
check "changed while it is read, begun anew" cmp -s wanted.raw run.raw

# in place there is no going back, and no way over a new file of that name
way in-place
exits "in place, stopped" 143 at 300 term "${command[@]}"
cp part.raw run.raw
exits "a new file of that name" 2 "${command[@]}"; says "a new file of that name" "--resume"
exits "a new file of that name is kept" 3 "$faro" permute --resume run.raw
check "a new file of that name is kept" cmp -s part.raw run.raw
exits "in place, begun anew" 2 "${command[@]}" --fresh; says "in place, begun anew" "the only copy"
exits "in place, begun again" 2 "${command[@]}"; says "in place, begun again" "cannot be begun anew"
cp .run.raw.faro/journal good
: >.run.raw.faro/journal
exits "in place, an empty journal" 3 "$faro" permute --resume run.raw; says "in place, an empty journal" "another copy"
check "in place, an empty journal: all is left" test -s .run.raw.faro/array -a -s .run.raw.faro/redo
cp good .run.raw.faro/journal
rm run.raw
exits "in place, gone on with" 0 "$faro" permute --resume run.raw
check "in place, gone on with" cmp -s wanted.raw run.raw

# a disk that is full, and one that can be read only
if mkdir tiny && mount -t tmpfs -o size=1m none tiny 2>/dev/null; then
  exits "a full disk" 3 "$faro" permute part.raw tiny/out.raw "${what[@]}" --passes 2
  says "a full disk" "no room"
  check "a full disk is left empty" test -z "$(ls -A tiny)"
  exits "a full disk of temporary files" 3 "$faro" permute part.raw out.raw "${what[@]}" --passes 2 --temporary tiny
  says "a full disk of temporary files" "no room"
  check "a full disk of temporary files is left empty" test -z "$(ls -A tiny)$(ls -A | grep out.raw)"
  umount tiny
  mount -t tmpfs -o size=2600k none tiny
  cp part.raw tiny/run.raw
  exits "no room for a second copy" 0 "$faro" permute tiny/run.raw --in-place --element-bytes 8 --map 'i -> rev(i)'
  check "no room for a second copy" cmp -s wanted.raw tiny/run.raw
  umount tiny
  mount -t tmpfs -o size=2140k none tiny
  cp part.raw tiny/run.raw
  exits "no room for the log" 3 "$faro" permute tiny/run.raw --in-place --element-bytes 8 --map 'i -> rev(i)' --memory 49.5MiB
  says "no room for the log" "no room"
  check "no room for the log: nothing was touched" cmp -s part.raw tiny/run.raw
  check "no room for the log: nothing is left" test "$(ls -A tiny)" = run.raw
  umount tiny
  mount -t tmpfs -o size=8m none tiny && mount -o remount,ro tiny
  exits "a disk to read only" 3 "$faro" permute part.raw tiny/out.raw "${what[@]}"
  umount tiny
fi
