#!/usr/bin/env bash
# The component mpi with Open MPI and with MPICH: tests on real processes, the program faro-mpi on
# files, and find_package(faro COMPONENTS mpi).
# usage: .ci/mpi.sh [MPI...]         beside build/release, of which it needs the library
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need $packages_build $packages_test $packages_mpi || exit 3
faro_build release "faro faro_c faro_program"
root=$PWD
. scripts/try.sh
scratch=$tried_logs/scratch
mkdir "$scratch"
# More ranks than cores: those that wait sleep (tests/mpi/patient.c). As root only where CI is.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMP_NUM_THREADS=1
# What looks for OpenCL devices would hold a compiler for them in every rank.
export HWLOC_COMPONENTS=-opencl

# tests NAME COMMAND...: its line "N passed, M failed" is added up.
tests() {
  local name=$1 line p f status
  shift
  "$@" >"$scratch/log" 2>&1
  status=$?
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$scratch/log" | tail -1)
  p=$(sed -nE 's/^([0-9]+) passed.*/\1/p' <<<"$line")
  f=$(sed -nE 's/.* ([0-9]+) failed.*/\1/p' <<<"$line")
  p=${p:-0} f=${f:-0}
  if [ "$status" != 0 ] && [ "$f" = 0 ]; then f=1; fi
  if [ "$f" != 0 ]; then
    echo "failed: $name"
    grep -vE '^(-+|mpirun|Primary job)' "$scratch/log" | tail -40
  fi
  good=$((good + p)) bad=$((bad + f))
}
# launch -n N PROGRAM...: with the launcher of the MPI at hand.
launch() {
  local ranks=$2
  shift 2
  timeout 1800 "mpirun.$mpi" -n "$ranks" env "LD_PRELOAD=$root/$build/tests_mpi/libfaro_mpi_patient.so" "$@"
}
# says WORDS COMMAND...: its output has the words.
says() {
  local words=$1 out
  shift
  out=$("$@" 2>&1) && grep -qF -- "$words" <<<"$out" || { echo "$out"; echo "wanted: $words"; return 1; }
}
# exits CODE COMMAND...
exits() {
  local wanted=$1 got=0
  shift
  "$@" || got=$?
  [ "$got" = "$wanted" ] || { echo "exit code $got, wanted $wanted"; return 1; }
}
same_file() {
  cmp "$1" "$2"
}

same_array() {
  /usr/bin/python3 -c "import numpy as np, sys
sys.exit(not np.array_equal(*(np.load(p, mmap_mode='r') for p in sys.argv[1:])))" "$1" "$2"
}
# Rows of 101 x 13 numbers on so many ranks; and where they are block-cyclic columns, reversed, and rows again.
rank_parts() {
  /usr/bin/python3 -c "import numpy as np, sys
what, n, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
a = np.arange(101 * 13, dtype='<i4').reshape(101, 13)
rows = -(-101 // n)
parts = [a[r * rows:(r + 1) * rows] for r in range(n)]
if what == 'save':
    for r in range(n): np.save(f'{folder}/part.{r}.npy', parts[r])
elif what == 'raw':
    for r in range(n): parts[r].tofile(f'{folder}/part.{r}.raw')
elif what == 'rolled':
    rolled = np.roll(a[:, ::-1], (40, 5), (0, 1))
    for r in range(n): assert np.array_equal(np.load(f'{folder}/rolled.{r}.npy'), rolled[r * rows:(r + 1) * rows]), r
else:
    for r in range(n):
        columns = [j for j in range(101) if j // 5 % n == r]
        assert np.array_equal(np.load(f'{folder}/dealt.{r}.npy'), a[::-1].T[:, columns]), r
    assert np.array_equal(np.concatenate([np.load(f'{folder}/back.{r}.npy') for r in range(2)]), a)" "$@"
}
# A file of 128 MiB within 52 MiB a rank, all that it holds: by tiles, no rank's peak beyond.
by_tiles() {
  local ranks=$1 y=$2 peak
  shift 2
  rm -f "$scratch"/peak.*
  FARO_PEAK=$scratch/peak says '"files":"tiles"' launch -n "$ranks" "$faro_mpi" permute "$scratch/huge.npy" "$y" \
    --map 'i -> gray(rev(i))' --memory ${tiles_memory_mib}MiB --json "$@" || return 1
  for ((rank = 0; rank < ranks; rank++)); do
    read -r peak <"$scratch/peak.$rank"
    [ "$peak" -le $((tiles_memory_mib * 1024)) ] || { echo "rank $rank held $peak KiB"; return 1; }
  done
}

/usr/bin/python3 -c "import numpy as np
a = np.random.default_rng(2).random((60, 16, 36))
np.save('$scratch/odd.npy', a)
np.save('$scratch/odd-wanted.npy', a[::-1].transpose(2, 1, 0)[:, np.argsort([i ^ (i >> 1) for i in range(16)])])"
prefix=$root/build/mpi-prefix
faro=$root/build/release/faro
cmake --install build/release --prefix "$prefix" >"$scratch/log" 2>&1 || { tail "$scratch/log"; exit 5; }
/usr/bin/python3 -c "import numpy as np; np.save('$scratch/x.npy', np.arange(1 << 16) * 1j)"
/usr/bin/python3 -c "import numpy as np; np.save('$scratch/small.npy', np.arange(64) / 3)"
mkfifo "$scratch/pipe"
head -c 8388608 /dev/urandom >"$scratch/large.raw"
# Twice what two ranks may hold where it is used.
tiles_memory_mib=52
/usr/bin/python3 -c "import numpy as np; np.save('$scratch/huge.npy', np.random.default_rng(1).random(1 << 24))"
"$faro" permute "$scratch/huge.npy" "$scratch/huge-wanted.npy" --map 'i -> gray(rev(i))' >/dev/null 2>&1
"$faro" permute "$scratch/x.npy" "$scratch/wanted.npy" --map 'i -> rev(i)' >/dev/null 2>&1
"$faro" permute "$scratch/large.raw" "$scratch/wanted.raw" --element-bytes 8 --map 'i -> gray(rev(i))' \
  >/dev/null 2>&1
"$faro" plan 'a -> ungray(a)' --on cube:3 --elements 4 --schedule "$scratch/cube.json" >/dev/null
"$faro" plan 'a:3 | m:3 -> m | a' --on cube:3 --schedule "$scratch/exchange.json" >/dev/null
"$faro" plan 'i -> rev(i)' --on mesh:4x2,all-links --schedule "$scratch/links.json" >/dev/null
"$faro" plan 'a:3 | m:3 -> m | a' --on ranks:8 --schedule "$scratch/ranks.json" >/dev/null
"$faro" plan 'i -> rev(i)' --on pops:4,2 --schedule "$scratch/pops.json" >/dev/null
"$faro" simulate "$scratch/small.npy" "$scratch/simulated.npy" --schedule "$scratch/ranks.json" >/dev/null
# Elements 0 and 1 of ranks.json trade places in the goal: right steps for another map.
sed 's/"map":"[^"]*"/"map":"a:3 | m:3 -> m[2:1] ~m[0] | a"/' "$scratch/ranks.json" >"$scratch/wrong.json"

build_with() {
  cmake -G Ninja -S src/mpi -B "build/mpi-$1" -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_INSTALL_PREFIX=$prefix" "-DFARO_WERROR=${FARO_WERROR:-OFF}" \
    "-DMPI_C_COMPILER=mpicc.$1" "-DMPI_CXX_COMPILER=mpicxx.$1" && cmake --build "build/mpi-$1"
}

# One rank is killed at its K-th write or sync: the job ends, says so, and OUT is the old or the new.
# killed K RANK IN WANTED MAP [OPTION...]
killed() {
  local at=$1 rank=$2 in=$scratch/$3 wanted=$scratch/$4 map=$5 y=$scratch/kill-$mpi.npy status=0
  shift 5
  cp "$in" "$y"
  FARO_DIE_AT=$at FARO_DIE_RANK=$rank launch -n 2 "$faro_mpi" permute "$in" "$y" --map "$map" \
    --verify "$@" >"$scratch/killed" 2>&1 || status=$?
  rm -f "$scratch"/.kill-*
  cmp -s "$y" "$in" || same_array "$y" "$wanted" || { echo "neither old nor new"; return 1; }
  [ "$status" = 0 ] && { same_array "$y" "$wanted"; return; }
  [ "$status" != 124 ] && grep -qiE 'signal 9|killed|KILLED' "$scratch/killed" || { cat "$scratch/killed"; return 1; }
}

# A rank of three is killed amid parts that get their names: the job ends, and what is under the names is the old
# parts, the new ones, or a mix that the next run refuses to read. Adds old, new or mixed to $ended.
# killed_parts AT RANK ROWS
killed_parts() {
  local at=$1 rank=$2 rows=$3 status=0 one k old=0 new=0
  for k in 0 1 2; do cp "$scratch/part.$k.npy" "$scratch/kill.$k.npy"; done
  FARO_DIE_AT=$at FARO_DIE_RANK=$rank launch -n 3 "$faro_mpi" permute "$scratch/part.%d.npy" "$scratch/kill.%d.npy" \
    --shape 101x13 --map "$rows => r c -> ~r c => $rows" >"$scratch/killed" 2>&1 || status=$?
  [ "$status" != 124 ] || { echo "it hung"; return 1; }
  for k in 0 1 2; do
    if cmp -s "$scratch/kill.$k.npy" "$scratch/part.$k.npy"; then old=$((old + 1)); fi
    if cmp -s "$scratch/kill.$k.npy" "$scratch/turned.$k.npy"; then new=$((new + 1)); fi
  done
  [ $((old + new)) = 3 ] || { echo "$old old parts, $new new ones"; return 1; }
  one=mixed
  [ $old != 3 ] || one=old
  [ $new != 3 ] || one=new
  ended="$ended $one"
  if [ $one = mixed ]; then
    status=0
    launch -n 3 "$faro_mpi" permute "$scratch/kill.%d.npy" "$scratch/none.%d.npy" --shape 101x13 \
      --map "$rows => $rows" >"$scratch/killed" 2>&1 || status=$?
    [ "$status" = 3 ] && grep -qF 'some may be old ones' "$scratch/killed" || { cat "$scratch/killed"; return 1; }
  fi
  # What writes them all is not refused, and cleans up.
  launch -n 3 "$faro_mpi" permute "$scratch/part.%d.npy" "$scratch/kill.%d.npy" --shape 101x13 \
    --map "$rows => r c -> ~r c => $rows" || return 1
  rm -f "$scratch"/.kill.?.npy.faro-[0-9]*
  for k in 0 1 2; do cmp "$scratch/kill.$k.npy" "$scratch/turned.$k.npy" || return 1; done
  [ ! -e "$scratch/.kill.0.npy.faro-mixed" ] || { echo "the mark is left"; return 1; }
}

for mpi in ${*:-openmpi mpich}; do
  build=build/mpi-$mpi
  try "build with $mpi" build_with "$mpi"
  for ranks in 1 2 4 8; do
    tests "$mpi, $ranks ranks" launch -n $ranks "$build/tests_mpi/faro_mpi_tests" --gtest_brief=1
  done
  for ranks in 3 7; do
    tests "$mpi, any lengths on $ranks ranks" launch -n $ranks "$build/tests_mpi/faro_mpi_tests" --gtest_brief=1 \
      --gtest_filter='MpiGridPlan.*:MpiPlanOfLengths.rolled*'
  done
  for ranks in 3 4; do
    tests "$mpi, from C on $ranks ranks" launch -n $ranks "$build/tests_mpi/faro_mpi_from_c"
  done

  faro_mpi=$root/$build/faro-mpi
  y=$scratch/y-$mpi.npy
  raw=$scratch/y-$mpi.raw
  try "$mpi: permute" launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> rev(i)' --verify
  try "$mpi: the same file as faro's" same_file "$y" "$scratch/wanted.npy"
  try "$mpi: in place, small buffer" launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$y" \
    --map 'i -> rev(i)' --verify --in-place --buffer 4KiB --json
  try "$mpi: the same file again" same_file "$y" "$scratch/wanted.npy"
  try "$mpi: one file a rank" launch -n 4 "$faro_mpi" permute "$scratch/x.npy" "$scratch/p%d.npy" \
    --map 'i -> rev(i)'
  try "$mpi: and back" launch -n 4 "$faro_mpi" permute "$scratch/p%d.npy" "$y" --map 'i -> rev(i)'
  try "$mpi: as it was" same_file "$y" "$scratch/x.npy"
  for how in "" --in-place; do
    # 4 MiB a rank, of which 64 KiB may be held.
    try "$mpi: mapped files $how" says '"files":"mapped"' launch -n 2 "$faro_mpi" permute "$scratch/large.raw" \
      "$raw" --element-bytes 8 --map 'i -> gray(rev(i))' --memory 64KiB --buffer 64KiB --verify --json $how
    try "$mpi: as in memory $how" same_file "$raw" "$scratch/wanted.raw"
  done
  for ranks in 2 4; do
    try "$mpi: by tiles on $ranks ranks" by_tiles $ranks "$scratch/huge-$mpi.npy" --verify
    try "$mpi: as in memory" same_array "$scratch/huge-$mpi.npy" "$scratch/huge-wanted.npy"
  done
  try "$mpi: by tiles, relabelled" by_tiles 4 "$scratch/huge-$mpi.npy" --verify --relabel
  for rank in 0 1; do
    try "$mpi: rank $rank killed amid tiles" killed 20 $rank huge.npy huge-wanted.npy 'i -> gray(rev(i))' \
      --memory ${tiles_memory_mib}MiB
  done
  rm -f "$scratch/huge-$mpi.npy" "$scratch/kill-$mpi.npy"
  try "$mpi: relabelled" says 'rank r has what the map puts on rank' launch -n 4 "$faro_mpi" permute \
    "$scratch/x.npy" "$y" --map 'i -> gray(i)' --relabel --verify
  for ranks in 1 2 4; do
    try "$mpi: axes of any length on $ranks ranks" says 'agree' launch -n $ranks "$faro_mpi" permute "$scratch/odd.npy" "$y" \
      --map 'r b c -> c gray(b) ~r' --verify --buffer 64KiB
    try "$mpi: as faro moves them" same_array "$y" "$scratch/odd-wanted.npy"
  done
  try "$mpi: a rolled axis in one file" says 'agree' launch -n 3 "$faro_mpi" permute "$scratch/odd.npy" "$y" \
    --map 'r b c -> roll(r, 7) b ~c' --verify
  try "$mpi: as NumPy rolls it" /usr/bin/python3 -c "import numpy as np
assert np.array_equal(np.load('$y'), np.roll(np.load('$scratch/odd.npy')[..., ::-1], 7, 0))"
  for ranks in 3 7; do
    rows="dtensor:($ranks,) [Shard(0)]" dealt="scalapack:M=13 N=101 MB=2 NB=5 RSRC=0 CSRC=0 grid=1x$ranks"
    rm -f "$scratch"/part* "$scratch"/dealt* "$scratch"/back*
    rank_parts save $ranks "$scratch"
    try "$mpi: parts on $ranks ranks" says 'the least that can be' launch -n $ranks "$faro_mpi" permute "$scratch/part.%d.npy" \
      "$scratch/dealt.%d.npy" --shape 101x13 --map "$rows => r c -> c ~r => $dealt" --buffer 512
    try "$mpi: parts to two of $ranks ranks" launch -n $ranks "$faro_mpi" permute "$scratch/dealt.%d.npy" \
      "$scratch/back.%d.npy" --shape 13x101 --map "$dealt => c r -> ~r c => dtensor:(2,) [Shard(0)]" --json
    try "$mpi: every element of $ranks parts" rank_parts compare $ranks "$scratch"
    try "$mpi: rolled parts on $ranks ranks" launch -n $ranks "$faro_mpi" permute "$scratch/part.%d.npy" \
      "$scratch/rolled.%d.npy" --shape 101x13 --map "$rows => r c -> roll(r, 40) roll(~c, 5) => $rows" --buffer 512
    try "$mpi: rolled by 40 and 5" rank_parts rolled $ranks "$scratch"
    rank_parts raw $ranks "$scratch"
    try "$mpi: raw parts on $ranks ranks" launch -n $ranks "$faro_mpi" permute "$scratch/part.%d.raw" \
      "$scratch/same.%d.raw" --element-bytes 4 --shape 101x13 --map "$rows => $rows"
    try "$mpi: as they were" same_file "$scratch/part.1.raw" "$scratch/same.1.raw"
  done
  rows="dtensor:(3,) [Shard(0)]" ended=
  rank_parts save 3 "$scratch"
  try "$mpi: turned parts" launch -n 3 "$faro_mpi" permute "$scratch/part.%d.npy" "$scratch/turned.%d.npy" --shape 101x13 \
    --map "$rows => r c -> ~r c => $rows"
  for rank in 0 1 2; do
    for at in 1 2 3 4 5; do try "$mpi: rank $rank of three killed at $at" killed_parts $at $rank "$rows"; done
  done
  for one in old mixed new; do try "$mpi: some kills left $one parts" grep -q $one <<<"$ended"; done
  rm -f "$scratch"/part* "$scratch"/turned* "$scratch"/kill*
  rows="dtensor:(7,) [Shard(0)]"
  rank_parts save 7 "$scratch"
  try "$mpi: parts of another shape" exits 2 launch -n 7 "$faro_mpi" permute "$scratch/part.%d.npy" "$scratch/none.%d.npy" \
    --shape 101x14 --map "$rows => $rows"
  try "$mpi: a length that is not divisible" exits 4 launch -n 8 "$faro_mpi" permute "$scratch/odd.npy" "$y" \
    --map 'r b c -> c b r'
  try "$mpi: a map that is none" exits 2 launch -n 2 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> j'
  try "$mpi: a file that is none" exits 3 launch -n 2 "$faro_mpi" permute "$scratch/none.npy" "$y" --map 'i -> i'
  try "$mpi: a pipe that nobody writes" exits 3 timeout 900 "mpirun.$mpi" -n 2 "$faro_mpi" permute "$scratch/pipe" "$y" \
    --map 'i -> i'
  try "$mpi: ranks with other arguments" exits 2 timeout 900 "mpirun.$mpi" -n 1 "$faro_mpi" permute \
    "$scratch/x.npy" "$y" --map 'i -> rev(i)' : -n 1 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> rev(i)' --verify
  try "$mpi: three ranks" exits 4 launch -n 3 "$faro_mpi" permute "$scratch/x.npy" "$y" --map 'i -> rev(i)'
  try "$mpi: nothing half done is left" sh -c "! ls -A $scratch | grep -F .faro-"
  for rank in 0 1; do
    for at in 1 2 3; do try "$mpi: rank $rank killed at $at" killed $at $rank x.npy wanted.npy 'i -> rev(i)'; done
  done

  for schedule in cube exchange links ranks; do
    # One message a move; of ranks:8 each of eight processors sends to seven others.
    moves=$(grep -oE '"remote_moves":[0-9]+' "$scratch/$schedule.json" | grep -oE '[0-9]+')
    try "$mpi: $schedule on 8 ranks" says "\"messages\":${moves:-56}," launch -n 8 "$faro_mpi" run \
      "$scratch/$schedule.json" --json
    try "$mpi: $schedule on 2 ranks" says 'every element arrived' launch -n 2 "$faro_mpi" run \
      "$scratch/$schedule.json" --element-bytes 1000
  done
  try "$mpi: a schedule on a file" launch -n 4 "$faro_mpi" run "$scratch/ranks.json" "$scratch/small.npy" \
    "$scratch/small-$mpi.npy"
  try "$mpi: as simulated" same_file "$scratch/small-$mpi.npy" "$scratch/simulated.npy"
  try "$mpi: a schedule that is wrong" exits 1 launch -n 2 "$faro_mpi" run "$scratch/wrong.json"
  try "$mpi: another machine" exits 4 launch -n 2 "$faro_mpi" run "$scratch/pops.json"

  try "$mpi: bench" launch -n 2 "$faro_mpi" bench --local-log2 12 --rounds 1 --json
  for example in state_vector multi_swap fft; do
    try "$mpi: example $example" launch -n "$([ "$mpi" = mpich ] && echo 2 || echo 4)" "$build/examples_mpi/$example"
  done
  try "$mpi: install" cmake --install "$build"
  try "$mpi: find_package" sh -c "cmake -G Ninja -S tests/install/mpi -B $scratch/found-$mpi \
    -DCMAKE_PREFIX_PATH=$prefix -DMPI_C_COMPILER=mpicc.$mpi -DMPI_CXX_COMPILER=mpicxx.$mpi &&
    cmake --build $scratch/found-$mpi"
  try "$mpi: a consumer in C++" says 'moved 8 of 16' launch -n 2 "$scratch/found-$mpi/consumer"
  # Where FARO_QUEST says that QuEST's sources are; else a word that they are not.
  [ "$mpi" != openmpi ] || { try "QuEST" bench/mpi/quest/quest.sh 4 16 3 && grep -h '^quest:' "$tried_log"; }
  try "$mpi: a consumer in C" says '1 passed' launch -n 2 "$scratch/found-$mpi/consumer_c"
done
tried mpi
