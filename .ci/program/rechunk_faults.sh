# faro rechunk on real stores of both versions of Zarr, ragged, in shards, encoded, in one pass and in three:
# killed, with a disk that fails or is full, beside a second process, with a source that changes; gone on with,
# the output is file by file that of a run without faults. All happens at the k-th call that touches a file.
# FARO_FULL=1: a hundred moments of each way, otherwise a dozen.
cd "$fast" && mkdir rechunk && cd rechunk || exit 1
calls="open pread pwrite fsync fdatasync fallocate rename renameat2 mkdir"
kept_calls=$calls

# One thread, so that chunks come into a shard in one order and files can be compared.
py "
a = np.random.default_rng(11).integers(0, 200, (81, 77, 83)).astype('<i4')
a[20:40, 30:, :20] = 0
np.save('a.npy', a)
np.save('b.npy', np.asfortranarray(a))"
exits "version 3, in shards" 0 "$faro" rechunk a.npy three.zarr --chunks 7,9,83 --shards 14,27,83 --codec gzip:1 --memory 64MiB
mkdir two.zarr
printf '{"zarr_format":2,"shape":[81,77,83],"chunks":[8,77,10],"dtype":"<i4","compressor":{"id":"zlib","level":1},"fill_value":3,"order":"C","filters":null}' >two.zarr/.zarray
py "
import zlib
a = np.load('a.npy')
for i in range(11):
  for k in range(9):
    whole = np.full((8, 77, 10), 7, '<i4')
    part = a[8 * i:8 * i + 8, :, 10 * k:10 * k + 10]
    whole[:part.shape[0], :, :part.shape[2]] = part
    open(f'two.zarr/{i}.0.{k}', 'wb').write(zlib.compress(whole.tobytes()))"
exits "version 2 is the same array" 0 "$faro" check a.npy two.zarr

# Each way: IN, OUT, the output's axes, and how.
way_of() {
  case $1 in
    shards) echo "three.zarr run.zarr --chunks 30,10,11 --shards 30,30,22 --codec gzip:1 --passes 3 --memory 49.0MiB" ;;
    version2) echo "two.zarr run.zarr --axes 2,0,1 --flip 1 --chunks 11,7,10 --zarr-format 2 --codec gzip:1 --passes 2 --memory 49.1MiB --verify" ;;
    one-pass) echo "two.zarr run.zarr --chunks 16,20,83 --codec none --passes 1 --memory 48.6MiB" ;;
    plain) echo "b.npy run.npy --axes 1,0,2 --memory 49.2MiB" ;;
  esac
}
set_way() {
  rm -rf run.* .run.*
  read -ra words <<<"$(way_of "$1")"
  command=("$faro" rechunk "${words[@]}" --threads 1)
  run=${words[1]} wanted=wanted-$1-${words[1]}
}
# whole NAME: what has the output's name is whole, and so is every file that has its own in the unfinished one
whole() {
  if [ -e "$run" ]; then diff -r "$wanted" "$run" >/dev/null || bad "$1: what has the name is not whole"; fi
  [ -d ".$run.faro/data" ] || return
  local file
  while IFS= read -r file; do
    cmp -s ".$run.faro/data/$file" "$wanted/$file" || bad "$1: a torn file has its name: $file"
    seen=$((seen + 1))
  done < <(cd ".$run.faro/data" && find . -name .faro -prune -o -type f -print)
}
# judge NAME: the next command says where things stand, and the one after it ends as if nothing had been
judge() {
  whole "$1"
  local had=no code
  if [ -s ".$run.faro/journal" ]; then had=yes; fi
  quietly "${command[@]}"; code=$?
  if [ $code = 2 ] && grep -qF -- "--resume" "$stderr"; then
    asked=$((asked + 1))
    exits "$1: gone on with" 0 "$faro" rechunk "${words[0]}" "$run" --resume
  elif [ $code = 2 ]; then
    # It had its name already: what is left beside it goes.
    check "$1: where it stands: $(cat "$stderr")" grep -qF "is there already" "$stderr"
    [ ! -e ".$run.faro" ] || exits "$1: what is left goes" 0 "$faro" rechunk "${words[0]}" "$run" --resume
  else
    check "$1: the next command: $code $(cat "$stderr")" test "$code" = 0
  fi
  check "$1: the same file by file" diff -r "$wanted" "$run"
  check "$1: nothing is left of it" test ! -e ".$run.faro"
}

points=$([ "${FARO_FULL:-0}" = 1 ] && echo 100 || echo 12)
for way in ${WAYS-shards version2 one-pass plain}; do
  set_way $way
  exits "$way, without faults" 0 "${command[@]}"
  mv "$run" "$wanted"
  exits "$way, its digest" 0 "$faro" digest "$wanted"
  digest=$(cut -d' ' -f1 "$stdout")
  set_way $way
  total=$(calls_of "${command[@]}")
  check "$way: there are calls to be killed at: $total" test "$total" -gt 150
  killed=0 seen=0 asked=0
  for i in $(seq "$points"); do
    k=$(((2 * i - 1) * total / (2 * points)))
    set_way $way
    quietly at $k kill "${command[@]}"; code=$?
    [ $code = 137 ] && killed=$((killed + 1))
    judge "$way, killed at $k"
  done
  check "$way: killed $killed times" test $killed = "$points"
  check "$way: runs to go on with: $asked" test $asked -gt $((points / 3))
  [ $way = plain ] || check "$way: files that had their names: $seen" test $seen -gt 0
  exits "$way, the digest in the end" 0 "$faro" digest "$run"
  check "$way, the digest in the end" grep -q "$digest" "$stdout"

  # Killed when it has its name and the rest is still there; and taken away then.
  for gone in no yes; do
    set_way $way
    calls="rename renameat2"
    total=$(calls_of "${command[@]}")
    set_way $way
    quietly at $((total - 1)) kill-after "${command[@]}"
    calls=$kept_calls
    check "$way, named and killed" test -e "$run" -a -e ".$run.faro/journal"
    [ $gone = no ] || rm -rf "$run"
    exits "$way, named and killed" 2 "${command[@]}"; says "$way, named and killed" "--resume"
    if [ $gone = no ]; then judge "$way, named and killed"; continue; fi
    exits "$way, taken away" 3 "$faro" rechunk "${words[0]}" "$run" --resume; says "$way, taken away" "taken away"
    exits "$way, begun anew" 0 "${command[@]}" --fresh
    check "$way, begun anew" diff -r "$wanted" "$run"
  done

  # Reads that fail, writes that fail, a disk that is full.
  for call in pread:EIO pwrite:EIO pwrite:ENOSPC fsync:EIO rename:EIO; do
    set_way $way
    calls=${call%:*}
    total=$(calls_of "${command[@]}")
    for k in $(places "$total" 4 30); do
      set_way $way
      export FARO_FAULT_ERRNO=$([ "${call#*:}" = EIO ] && echo 5 || echo 28)
      quietly at "$k" fail "${command[@]}"; code=$?
      unset FARO_FAULT_ERRNO
      check "$way, $call at $k: exit code $code" test $code = 3
      grep -qiE "input/output error|no space|no room" "$stderr" || bad "$way, $call at $k: $(cat "$stderr")"
      judge "$way, $call at $k"
    done
    calls=$kept_calls
  done
done

# stopped K: the command, stopped at its K-th call; its number is in $one
stopped() {
  FARO_FAULT_CALLS=$calls FARO_FAULT_AT=$1 FARO_FAULT=stop LD_PRELOAD=$shim "${command[@]}" >/dev/null 2>"$work/stopped" & one=$!
  until grep -q '^State:.T' /proc/$one/status 2>/dev/null || ! kill -0 $one 2>/dev/null; do sleep 0.02; done
}
for way in shards version2; do
  set_way $way
  [ -e "$wanted" ] || continue
  total=$(calls_of "${command[@]}")
  # A second process on the same output.
  set_way $way
  stopped $((total / 2))
  for how in "" --resume --fresh; do
    exits "$way: a second process $how" 3 "${command[@]}" $how; says "$way: a second process $how" "another process"
  done
  kill -CONT $one; wait $one; code=$?
  check "$way: the first one ends: $code" test $code = 0
  check "$way: the first one ends" diff -r "$wanted" "$run"

  # A source that is changed while it is read; damaged, so that a chunk does not decode.
  in=${words[0]}
  file=$(find "$in" -type f ! -name '.z*' ! -name '*.json' | sort | head -1)
  cp -a "$in" kept
  set_way $way
  calls=pwrite
  stopped 6  # in the first pass
  calls=$kept_calls
  printf 'x' | dd of="$file" bs=1 seek=9 conv=notrunc 2>/dev/null
  kill -CONT $one; wait $one; code=$?
  check "$way, changed: exit code $code" test $code = 3
  check "$way, changed: $(cat "$work/stopped")" grep -qE "changed|${file##*/}" "$work/stopped"
  check "$way, changed: nothing has the name" test ! -e "$run"
  if [ -e ".$run.faro" ]; then
    exits "$way, changed, gone on with" 3 "$faro" rechunk "$in" "$run" --resume; says "$way, changed, gone on with" "changed"
  fi
  printf 'this is no chunk' >"$file"
  exits "$way, damaged" 3 "${command[@]}" --fresh; says "$way, damaged" "${file##*/}"
  check "$way, damaged: nothing has the name" test ! -e "$run"
  rm -rf "$in"; mv kept "$in"
  exits "$way, as it was" 0 "${command[@]}" --fresh
  check "$way, as it was" diff -r "$wanted" "$run"
done

# A disk that is full.
if mkdir tiny && mount -t tmpfs -o size=800k none tiny 2>/dev/null; then
  for way in ${WAYS-shards one-pass plain}; do
    set_way $way
    exits "$way: a full disk" 3 "$faro" rechunk "${words[0]}" "tiny/$run" "${words[@]:2}" --threads 1
    grep -qiE "no space|no room" "$stderr" || bad "$way: a full disk: $(cat "$stderr")"
    check "$way: a full disk has no output" test ! -e "tiny/$run"
    rm -rf tiny/.run*
  done
  umount tiny
fi
cd "$work" && rm -rf "$fast/rechunk"
