# faro plan --on ranks:P: the cost of an exchange beside counts made by NumPy, which applies the map and no more;
# and the schedule in steps that the same machine has.
rev="i:14 -> rev(i)"
exits "an exchange" 0 "$faro" plan 'i -> rev(i)' --on ranks:8 --nodes 2 --elements 2^26 --element-bytes 16 --buffer 64MiB
for words in 'rho 3' '7 others in 7 rounds' '7516192768 bytes, 0.8750 of the data' 'nodes' 'of 67108864 allowed' \
             'computed, not measured' 'verified'; do
  prints "an exchange" "$words"
done
# counted NAME BITS RANKS NODES BYTES NUMPY MAP OPTIONS...
counted() {
  local name=$1 bits=$2 ranks=$3 nodes=$4 bytes=$5 numpy=$6 map=$7
  shift 7
  exits "$name" 0 "$faro" plan "$map" --on "ranks:$ranks" --nodes "$nodes" --element-bytes "$bytes" "$@" --json
  cp "$stdout" plan.json
  check "$name: $(cut -c 1-200 plan.json)" "$python" "$root/.ci/exchange.py" "$bits" "$ranks" "$nodes" "$bytes" plan.json "$numpy"
}
counted "bit reversal" 14 8 2 16 'rev(i)' "$rev" --startup 1e-6 --transfer 2e-10
counted "bit reversal in slices" 14 8 2 16 'rev(i)' "$rev" --buffer 4KiB
counted "bit reversal in place" 14 8 4 24 'rev(i)' "$rev" --in-place
counted "Gray code" 14 16 4 8 'gray(i)' 'i:14 -> gray(i)'
counted "Gray code, relabelled" 14 16 4 8 'gray(i)' 'i:14 -> gray(i)' --relabel
counted "complement" 12 4 2 8 'i ^ np.uint64(4095)' 'i:12 -> ~i'
counted "complement, relabelled" 12 4 2 8 'i ^ np.uint64(4095)' 'i:12 -> ~i' --relabel
counted "ranks rotated" 10 32 8 3 '((i >> np.uint64(5) << np.uint64(1) | i >> np.uint64(9)) & np.uint64(31)) << np.uint64(5) | (i & np.uint64(31))' 'r:5 | x:5 -> rot(r,1) | x'
counted "gray of the reversal" 12 16 4 8 'gray(rev(i))' 'i:12 -> gray(rev(i))' --relabel
counted "one rank" 6 1 1 8 'rev(i)' 'i:6 -> rev(i)'
counted "one element a rank" 4 16 4 8 'rev(i)' 'i:4 -> rev(i)'

# What --elements says: of each rank, or of a map that names its widths in all.
bytes_of() { "$faro" plan "$@" --json | "$python" -c "import json, sys; p = json.load(sys.stdin); print(p['ranks'] * p['elements'])"; }
check "elements of each rank" test "$(bytes_of 'i -> rev(i)' --on ranks:8 --elements 2^10 --element-bytes 8)" = 8192
check "the same named" test "$(bytes_of 'i:13 -> rev(i)' --on ranks:8 --elements 2^10 --element-bytes 8)" = 8192
check "elements in all" test "$(bytes_of 'i:10 -> rev(i)' --on ranks:8 --elements 2^10 --element-bytes 8)" = 1024
check "cut at the ranks" test "$(bytes_of 'r | x -> rot(r,1) | x' --on ranks:8 --elements 2^10 --element-bytes 8)" = 8192
check "layouts" test "$(bytes_of 'cyclic => consecutive' --on ranks:8 --elements 2^10 --element-bytes 8)" = 8192

# 2^30 ranks of 2^34 elements, and 2^60 ranks, in no time.
exits "2^64 elements" 0 "$faro" plan 'i -> rev(i)' --on ranks:2^30 --nodes 2^20 --elements 2^34 --element-bytes 16 --relabel --json
prints "2^64 elements" '"moved_bytes":"295147904904474918912"'
instructions_below "2^64 elements" 20 "$faro" plan 'i -> rev(i)' --on ranks:2^30 --elements 2^34 --element-bytes 16
exits "2^60 ranks" 0 "$faro" plan 'i -> rev(i)' --on ranks:2^60 --elements 16 --element-bytes 16
prints "2^60 ranks" 'rho 4'

exits "no element size" 2 "$faro" plan "$rev" --on ranks:8 --nodes 2; says "no element size" '--element-bytes'
exits "a cube has no exchange" 2 "$faro" plan "$rev" --on cube:3 --element-bytes 8; says "a cube" 'ranks:8'
exits "three nodes" 4 "$faro" plan "$rev" --on ranks:8 --element-bytes 8 --nodes 3; says "three nodes" 'power of two'
exits "more nodes than ranks" 2 "$faro" plan "$rev" --on ranks:8 --element-bytes 8 --nodes 16
exits "no bytes" 2 "$faro" plan "$rev" --on ranks:8 --element-bytes 0
exits "a buffer of nothing" 2 "$faro" plan "$rev" --on ranks:8 --element-bytes 8 --buffer 8
exits "elements that contradict the map" 2 "$faro" plan 'p:3 | m:3 -> m | p' --on ranks:8 --elements 4 --element-bytes 8
exits "a map of fewer bits" 2 "$faro" plan 'i:2 -> rev(i)' --on ranks:8 --element-bytes 8
exits "a map cut elsewhere" 2 "$faro" plan 'p:2 | m:4 -> p | rev(m)' --on ranks:8 --element-bytes 8
exits "elements that are no power of two" 2 "$faro" plan 'i -> rev(i)' --on ranks:8 --elements 100 --element-bytes 8
exits "a negative time" 2 "$faro" plan "$rev" --on ranks:8 --element-bytes 8 --transfer -1
exits "an array beyond an address" 4 "$faro" plan 'i:63 -> rev(i)' --on ranks:2 --element-bytes 8
exits "a schedule and an exchange" 2 "$faro" plan "$rev" --on ranks:8 --element-bytes 8 --schedule s.json
# The schedule in steps, as on every machine.
exits "in steps" 0 "$faro" plan 'p:3 | m:3 -> m | p' --on ranks:8 --elements 8; prints "in steps" '7 steps'

# Behind switches with few links upward: planned, kept, judged, exported, performed.
exits "a fat tree" 0 "$faro" plan 'p:5 | m:5 -> m | p' --on fat-tree:4x8,up=2 --schedule tree.json
for words in '96 steps' 'this plan is optimal' 'over 2 links' 'replayed, 1024 elements'; do prints "a fat tree" "$words"; done
exits "a fat tree's schedule" 0 "$faro" verify tree.json; prints "a fat tree's schedule" 'checked'
exits "more links" 0 "$faro" plan 'p:5 | m:5 -> m | p' --on fat-tree:4x8 --json; prints "more links" '"value":31'
sed 's/"up":\[2\]/"up":[1]/' tree.json >narrow.json
exits "with fewer links it is wrong" 1 "$faro" verify narrow.json; prints "with fewer links it is wrong" 'R11'
exits "a fat tree's moves" 0 "$faro" convert tree.json tree.csv
exits "a fat tree's exchange" 2 "$faro" plan 'i:10 -> rev(i)' --on fat-tree:4x8,up=2 --element-bytes 8
"$python" -c "import numpy as np; np.save('tree.npy', np.random.default_rng(1).permutation(64))"
exits "a list on a fat tree" 0 "$faro" plan --destinations tree.npy --on fat-tree:4x4x4,up=4x1; prints "a list on a fat tree" 'verified'
exits "an algorithm of a fat tree" 0 "$faro" algorithms --on fat-tree:4x8; prints "an algorithm of a fat tree" 'tree-classes'

# Any number of ranks and any lengths: blocks as torch.chunk cuts, beside their products.
rows="dtensor:(12,) [Shard(0)]" columns="dtensor:(12,) [Shard(1)]"
kept=$("$python" -c "r = [598] * 11 + [590]; c = [4189] * 11 + [4178]; print(2 * sum(a * b for a, b in zip(r, c)))")
exits "12 ranks" 0 "$faro" plan "$rows => $columns" --shape 7168x50257 --on ranks:12 --element-bytes 2
for words in "$kept bytes stay" "$((7168 * 50257 * 2 - kept)) bytes, the least" '132 of' 'what all ranks send is what all receive'; do
  prints "12 ranks" "$words"
done
exits "8 ranks to 3, as JSON" 0 "$faro" plan "hpf:DISTRIBUTE A(CYCLIC(2), *) ONTO P(8) => r c -> c ~r => hpf:DISTRIBUTE A(GEN_BLOCK(1, 0, 4), *) ONTO P(3)" --shape 33x5 --on ranks:8 --relabel --json
prints "8 ranks to 3, as JSON" '"relabelled":"exactly"'
instructions_below "10 000 ranks" 200 "$faro" plan "dtensor:(10,10,10,10) [Shard(0), Shard(1), Shard(2), Shard(3)] => dtensor:(10,10,10,10) [Shard(5), Shard(2), Shard(1), Shard(0)]" --shape 97x98x99x101x3x50 --on ranks:10000 --relabel
exits "more ranks than there are" 2 "$faro" plan "$rows => $columns" --shape 7168x50257 --on ranks:9
exits "a length that JAX refuses" 4 "$faro" plan "jax:mesh x=3, P('x') => jax:mesh x=3, P()" --shape 7168 --on ranks:3; says "a length that JAX refuses" 'uneven'
exits "partial sums" 4 "$faro" plan "dtensor:(3,) [Partial()] => $rows" --shape 9x9 --on ranks:12; says "partial sums" 'must be added'
exits "what a move of lengths has not" 2 "$faro" plan "$rows => $columns" --shape 9x9 --on ranks:12 --nodes 2; says "what a move of lengths has not" '--nodes'
