# faro plan, algorithms and paper: reports, files, refusals, and plans of machines too large to list.
exits "a plan" 0 "$faro" plan 'a:6 -> ungray(a)' --on cube:6 --elements 100
for words in 'cube:6' 'conversion-table' '61 steps' 'Theorem 8' 'no plan takes fewer than 61' 'optimal' \
             'proved for all 2^6 processors' 'replayed' '█'; do
  prints "the report" "$words"
done
exits "pinned" 0 "$faro" plan 'a:6 -> ungray(a)' --on cube:6 --elements 100 --algorithm minimum-path
prints "pinned" '100 steps'
exits "an algorithm that does not apply" 4 "$faro" plan 'i:4 -> rev(i)' --on cube:4 --algorithm minimum-path
says "an algorithm that does not apply" 'Gray'
exits "no such algorithm" 2 "$faro" plan 'i:4 -> rev(i)' --on cube:4 --algorithm best
exits "no such machine" 2 "$faro" plan 'i:4 -> rev(i)' --on ring:4
exits "no machine" 2 "$faro" plan 'i:4 -> rev(i)'
exits "a width that is not the machine's" 2 "$faro" plan 'i:5 -> rev(i)' --on cube:4
exits "a layout" 2 "$faro" plan 'cyclic:2|3' --on cube:2
exits "tornado" 4 "$faro" plan tornado --on cube:4
exits "elements against the map" 2 "$faro" plan 'p:4 | m:2 -> ungray(p) | m' --on cube:4 --elements 5
exits "layout to layout" 0 "$faro" plan 'cyclic:4|2 => consecutive' --on cube:4
exits "other systems" 0 "$faro" plan 'xla:{devices=[2,1,4]<=[4,2]T(1,0)} => xla:{devices=[1,8,1]<=[8]}' \
  --shape 16x16x16 --on cube:3
prints "other systems" '256 steps'
prints "other systems" 'no plan takes fewer than 256'
exits "two systems" 0 "$faro" plan \
  'dtensor:(2,4) [Shard(0), Shard(0)] => sdy:<["x"=4,"y"=2]> [{"y"}, {"x"}]' --shape 16x8 --on cube:3
prints "two systems" 'optimal'
exits "another system's layout" 2 "$faro" plan 'xla:{devices=[2,4]<=[8]}' --shape 16x16 --on cube:3
exits "devices that are no map" 4 "$faro" plan \
  'xla:{devices=[8]0,1,2,3,4,5,7,6} => xla:{devices=[8]<=[8]}' --shape 8 --on cube:3
says "devices that are no map" 'tile 6 is on 7; tiles 0, 2, 4 say 6'
exits "a bare side" 0 "$faro" plan '~i' --on cube:4
prints "a bare side" 'i:4 -> ~i'
exits "a bare side of an array" 0 "$faro" plan 'rot(i, 1)' --on ranks:8 --elements 1024 --element-bytes 8
exits "a circuit on a disk" 0 "$faro" plan 'qasm:qubit[30] q; swap q[0], q[29];' --on disk:memory=2^28
exits "one port" 0 "$faro" plan 'i:5 -> ungray(i)' --on cube:5,one-port --elements 7
prints "one port" 'one-port-half'
exits "several ports" 0 "$faro" plan 'p:4 | m:4 -> m | p' --on cube:4,2-ports --schedule ports.json
prints "several ports" 'none, this plan is optimal'
exits "several ports verified" 0 "$faro" verify ports.json
sed 's/"ports":2/"ports":"one"/' ports.json >one.json
exits "too many ports" 1 "$faro" verify one.json
prints "too many ports" 'one-port'
exits "as many ports as links" 2 "$faro" plan 'p:4 -> ~p' --on cube:4,4-ports
exits "packets" 0 "$faro" plan 'i:6 -> ungray(i)' --on cube:6 --elements 60 --startup 10 --transfer 1
prints "packets" 'start-ups'
exits "a negative price" 2 "$faro" plan 'i:6 -> ungray(i)' --on cube:6 --startup -1

# A sort is planned, written and judged; a file that says that it is a network is refused.
exits "a sort" 0 "$faro" plan --sort 6 --on cube:3 --layout 'consecutive gray' --schedule sort.json
for words in 'bitonic sort of 2^6 keys' 'bitonic-sort' 'proved for all 2^3 processors' 'replayed'; do
  prints "a sort" "$words"
done
exits "its file" 0 "$faro" verify sort.json --by both
sed 's/"kind":"sort"/"kind":"butterfly"/' sort.json >network.json
exits "a sort as a network" 1 "$faro" verify network.json
prints "a sort as a network" 'stage'
sed 's/"order":"msb"/"order":"lsb"/' sort.json >other.json
exits "a sort from below" 1 "$faro" verify other.json
exits "a sort and a network" 2 "$faro" plan --sort 6 --butterfly 6 --on cube:3
exits "a sort with an order" 2 "$faro" plan --sort 6 --on cube:3 --order lsb
exits "a network in natural order" 0 "$faro" plan --butterfly 12 --on cube:6 --layout 'cyclic binary||gray' --output natural
prints "a network in natural order" '64 steps'
prints "what it is made of" 'sequence(butterfly-sectioning, conjugate(all-to-all))'

# Files of destinations: any permutation to 10 dimensions, maps of any size.
py "
r = np.random.default_rng(1)
np.save('d6.npy', r.permutation(64).astype('>i4')); np.save('d11.npy', r.permutation(2048))
np.save('twice.npy', np.zeros(64, dtype='<i8')); np.save('map.npy', np.arange(4096) ^ (np.arange(4096) >> 1))
"
exits "destinations" 0 "$faro" plan --destinations d6.npy --on cube:6 --elements 3 --schedule d6.json
exits "destinations, verified again" 0 "$faro" verify d6.json
exits "too many destinations" 4 "$faro" plan --destinations d11.npy --on cube:11
exits "destinations that are a map" 0 "$faro" plan --destinations map.npy --on cube:12
prints "destinations that are a map" 'i:12 -> gray(i)'
exits "no permutation" 2 "$faro" plan --destinations twice.npy --on cube:6
exits "a list of another size" 2 "$faro" plan --destinations d6.npy --on cube:5
exits "a map and destinations" 2 "$faro" plan 'i:6 -> rev(i)' --destinations d6.npy --on cube:6

# Schedules: equal plans give equal bytes; rules or moves; verified by our program again.
exits "a schedule" 0 "$faro" plan 'a:5 -> ungray(a)' --on cube:5 --elements 17 --schedule s.json
exits "the same again" 0 "$faro" plan 'a:5 -> ungray(a)' --on cube:5 --elements 17 --schedule t.json
check "equal plans, equal bytes" cmp -s s.json t.json
exits "spelled out" 0 "$faro" plan 'a:5 -> ungray(a)' --on cube:5 --elements 17 --schedule e.json --expand
check "no rules in it" sh -c "! grep -q '\"rules\"' e.json"
exits "rules verified" 0 "$faro" verify s.json
exits "moves verified" 0 "$faro" verify e.json
exits "to stdout" 0 sh -c "'$faro' plan 'a:5 -> ungray(a)' --on cube:5 --elements 17 --schedule - | cmp -s - s.json"

# 2^60 processors with 100 elements each, planned and proved, as a whole command; the search of services-ring, which
# saves a fifth of the steps, is most of it.
exits "2^60 processors" 0 "$faro" plan 'a:60 -> ungray(a)' --on cube:60 --elements 100
prints "2^60 processors" 'proved for all 2^60 processors'
instructions_below "2^60 processors" 2800 "$faro" plan 'a:60 -> ungray(a)' --on cube:60 --elements 100
# 2^20 processors replayed within 1 GiB of memory.
exits "2^20 processors replayed" 0 sh -c "ulimit -v 1048576; '$faro' plan 'a:20 -> ungray(a)' --on cube:20 --elements 4 --verify replay"
prints "2^20 processors replayed" 'replayed 39845888 moves'

# Passes over a file: planned and proved to 2^60 elements, the whole command.
deep=("$faro" plan 'i:60 -> rev(i)' --on disk:memory=2^31,run=2^20 --element-bytes 8)
exits "a file of 2^60 elements" 0 "${deep[@]}"
for words in '2 passes; no plan with such runs has fewer' 'torn apart in 17 bits' 'tiles of 512 MiB' '8 EiB temporary' \
             'I/O: ' 'about ' 'proved for all 2^60 units'; do
  prints "a file of 2^60 elements" "$words"
done
instructions_below "a file of 2^60 elements" 20 "${deep[@]}"
instructions_below "a file of 2^60 elements, a disk with heads" 30 "$faro" plan 'i:60 -> gray(rev(i)) ^ 12345' --on disk:memory=2^31,device=hdd --json
exits "a file as JSON" 0 "${deep[@]}" --json
check "its passes compose to the map, its counts are those of its runs" py "
import json
p = json.load(open('$stdout'))
assert p['map'] == 'i:60 -> rev(i)' and p['passes_bound'] == len(p['passes']) == 2 and p['verified']['ok']
for q in p['passes']:
  assert int(q['tiles']) * q['tile_bytes'] == int(p['data_bytes']) == 8 * 2**60
  assert q['read_run_bytes'] >= 2**20 <= q['write_run_bytes']
  assert int(q['reads']) == int(q['writes']) == int(p['data_bytes']) // 2**20
  assert len(q['tile']) == 26
assert p['temporary_bytes'] == p['data_bytes'] and p['passes'][0]['to'] == p['passes'][1]['from'] == 'temporary'
"
exits "a small file is walked" 0 "$faro" plan 'r:3 c:9 -> c r' --on disk:memory=60MiB --verify both
prints "a small file is walked" 'each walked'
exits "an array in memory" 0 "$faro" plan 'r c -> c r' --on memory --shape 20x30
prints "an array in memory" 'moved once, every element compared'
exits "memory has no ranks" 2 "$faro" plan 'r c -> c r' --on memory --shape 20x30 --relabel
says "memory has no ranks" '--relabel: --on memory takes a map'
exits "a chunk grid is a map" 0 "$faro" plan 'zarr:shape=(64,64), chunks (4,2) => zarr:shape=(64,64), chunks (2,4)' --on disk:memory=60MiB
exits "too few passes" 4 "${deep[@]/run=2^20/run=2^20,passes=1}"
says "too few passes" '384 GiB would do'
exits "no memory said" 2 "$faro" plan 'i:20 -> rev(i)' --on disk:run=4096
exits "a word that is none" 2 "$faro" plan 'i:20 -> rev(i)' --on disk:memory=2GiB,seek=3
exits "too many to walk" 4 "$faro" plan 'i:30 -> rev(i)' --on disk:memory=2GiB --verify replay
exits "elements of a processor" 2 "$faro" plan 'i:30 -> rev(i)' --on disk:memory=2GiB --elements 3
exits "bytes of a processor" 2 "$faro" plan 'i:4 -> rev(i)' --on cube:4 --element-bytes 3

exits "algorithms" 0 "$faro" algorithms
prints "algorithms" 'services-ring'
exits "algorithms of a machine" 0 "$faro" algorithms --on ranks:8
prints "algorithms of a machine" "ranks-rounds"
check "algorithms of a machine are few" test "$(wc -l <"$stdout")" -lt 20
exits "papers" 0 "$faro" paper
prints "papers" 'conversion'
exits "a paper" 0 "$faro" paper conversion
prints "a paper" 'Theorem 8'
exits "no such paper" 2 "$faro" paper none

# several machines, and who has what for whom
exits "a table" 0 "$faro" plan 'i -> rev(i)' --on cube:4 --on mesh:4x4 --on pops:4,4 --on cube:5,one-port
prints "a table" "unit routes"; prints "a table" "slot"; prints "a table" "at least"
cat >table.py <<'PY'
import json, subprocess, sys
def ask(*on):
    options = [word for machine in on for word in ("--on", machine)]
    run = subprocess.run([sys.argv[1], "plan", "i:4 -> rev(i)", *options, "--json"], capture_output=True, check=True)
    return json.loads(run.stdout)
machines = ["cube:4", "cube:4,one-port", "mesh:4x4", "torus:4x4,all-links", "pops:4,4", "ranks:16"]
for machine, row in zip(machines, ask(*machines)["plans"], strict=True):
    assert row["machine"] == machine and row["plan"] == ask(machine), machine
assert "refusal" in ask("cube:4", "cube:5")["plans"][1]
PY
check "the table's figures are those of single plans" "$python" table.py "$faro"
exits "nobody can" 4 "$faro" plan 'i:4 -> rev(i)' --on cube:5 --on cube:6; prints "nobody can" "none: "
exits "a table with a machine that is none" 2 "$faro" plan 'i -> rev(i)' --on cube:4 --on torus:4x4,all-link
says "a table with a machine that is none" "did you mean ',all-links'?"
exits "a map of another machine" 2 "$faro" plan 'i:3 -> rev(i)' --on mesh:4x4
says "a map of another machine" "mesh:4x4, 2^4 processors: size at column 1"
exits "cube:2^2" 2 "$faro" plan 'i -> rev(i)' --on cube:2^2; says "cube:2^2" "the number of dimensions"
exits "a table with a schedule" 2 "$faro" plan 'i -> rev(i)' --on cube:4 --on mesh:4x4 --schedule s.json
exits "no machine" 2 "$faro" plan 'i:4 -> rev(i)'
cat >traffic.py <<'PY'
import collections, json, subprocess, sys
def ask(*words):
    return json.loads(subprocess.run([sys.argv[1], *words, "--json"], capture_output=True, check=True).stdout)
for text in ["a:3 | m:4 -> m[3:1] | m[0] a", "a:3 | m:2 -> ungray(a) | ~m", "a:4 | m:2 -> m a[3:2] | a[1:0]",
             "a:3 | m:3 -> a^m | m", "a:3 | m:2 -> ~a | m", "a:5 | m:1 -> a[3:0] m | ~a[4]"]:
    explained = ask("explain", text)
    columns = [int(x, 16) for x in explained["columns"]]
    complement, width = int(explained["complement"], 16), explained["width"]
    n = explained["cut"]["processor_bits"]
    found = ask("plan", text, "--on", f"cube:{n}", "--traffic")
    pairs = collections.Counter()
    for i in range(1 << width):
        to = complement
        for b in range(width): to ^= columns[b] if i >> b & 1 else 0
        pairs[i >> width - n, to >> width - n] += 1
    receivers = collections.defaultdict(set)
    for (p, q), count in pairs.items():
        receivers[p].add(q)
        assert count == found["each"], (text, p, q, count)
    assert all(len(r) == found["receivers"] for r in receivers.values()), text
    assert sum(p in r for p, r in receivers.items()) == found["keepers"], text
    assert sum(k for (p, q), k in pairs.items() if p != q) == found["moved"], text
    for e in found["examples"]: assert set(e["to"]) == receivers[e["processor"]], text
PY
check "traffic, counted" "$python" traffic.py "$faro"
exits "traffic of 2^60" 0 "$faro" plan 'a:60 -> ungray(a)' --on cube:60 --elements 100 --traffic
prints "traffic of 2^60" "1152921504606846976"
exits "traffic of a sort" 2 "$faro" plan --sort 6 --on cube:4 --traffic

# what to change
exits "one thing to change" 4 "$faro" plan 'a:4 | m:4 -> m | a' --on torus:4x4
says "one thing to change" "On torus:4x4,all-links in place of torus:4x4, links-dimension-order applies."

py "np.save('d12.npy', np.random.default_rng(3).permutation(2**12).astype('u8'))"
exits "fewer elements" 4 "$faro" plan --destinations d12.npy --on pops:64,64 --elements 2^12
says "fewer elements" "elements in each processor in place of 4096, pops-relation applies."
exits "an exchange of ranks" 4 "$faro" plan 'a:12 | m:16 -> m[11:0] | a m[15:12]' --on ranks:4096
says "an exchange of ranks" "With --element-bytes 8 it is answered as one exchange."
exits "the exchange" 0 "$faro" plan 'a:12 | m:16 -> m[11:0] | a m[15:12]' --on ranks:4096 --element-bytes 8

# axes of any length on processors of bits
exits "traffic of units" 0 "$faro" plan 'r=12000 c=12000 -> c r' --on cube:3 --traffic
prints "traffic of units" "unit         2250000 elements that move as one"
prints "traffic of units" "56 of 64 units leave their processor"
exits "traffic of units as JSON" 0 "$faro" plan 'r=12000 c=12000 -> c r' --on cube:3 --traffic --json
prints "traffic of units as JSON" '"unit_elements": 2250000'
exits "a transpose of any length" 0 "$faro" plan 'r=1200 c=24 -> c r' --on cube:3 --verify both --schedule s.json
prints "a transpose of any length" "450 elements that move as one"; prints "a transpose of any length" "p:3 | m:3 -> m | p"
exits "its schedule" 0 "$faro" verify s.json
exits "processors that move all they hold" 0 "$faro" plan 'p:3 | r=100 b:2 -> gray(p) | rev(b) ~r' --on cube:3
prints "processors that move all they hold" "241 steps"
exits "lengths on several machines" 0 "$faro" plan 'r=1200 c=24 -> c r' --on cube:3 --on ranks:8
exits "an exchange of lengths in slices" 0 "$faro" plan 'r=12000 c=12000 -> c r' --on ranks:8 --element-bytes 8
prints "an exchange of lengths in slices" "2 slices"
exits "a length that is not divisible" 4 "$faro" plan 'r=12001 c=8 -> c r' --on cube:3
says "a length that is not divisible" "multiples of 8 can be cut"
exits "processors that are no power of two" 2 "$faro" plan 'p=12 | m=1000 -> p | ~m' --on cube:3
says "processors that are no power of two" "the words say 12"
exits "elements beside lengths" 2 "$faro" plan 'p:3 | r=100 -> ~p | r' --on cube:3 --elements 7
