# Every --json output, held to the schema of its format; every schema, used by some output.
py "
np.save('a.npy', np.arange(64, dtype='<f8').reshape(8, 8))
np.save('x.npy', np.arange(64) * (1 + 0j))
np.save('m.npy', np.arange(16.0).reshape(4, 4))
np.save('d.npy', np.arange(16, dtype='<u8')[::-1].copy())
"
object() { # object NAME EXIT-CODE ARGUMENTS...
  local name=$1 code=$2 got=0
  shift 2
  "$faro" "$@" --json >"$name.json" 2>"$stderr" || got=$?
  if [ "$got" != "$code" ]; then bad "$name: exit code $got: $(head -c 300 "$stderr")"; return; fi
  if "$python" "$root/.ci/schema.py" "$root/docs/schemas" "$name.json" >wrong; then ok; else bad "$(cat wrong)"; fi
}

object explain1 0 explain 'r:3 c:2 -> gray(c) rev(r)'
object explain2 0 explain '[-0, 3, -1, -2]'
object explain3 0 explain 'a:4 | m:3 -> ungray(a) | ~m'
object explain4 0 explain 'cyclic:2|3'
object explain5 0 explain 'i:64 -> gray(rev(i))'
object explain6 0 explain 'i:0 -> i'
object explain7 0 explain 'xla:{devices=[2,1,4]<=[4,2]T(1,0)}' --shape 16x16x16
object explain8 0 explain 'xla:{devices=[2,2]<=[4] last_tile_dim_replicate}' --shape 16
object lengths1 0 explain 'r=100 b:8 c=64 -> c rev(b) ~r'
object lengths2 0 explain 'r c p -> p ~c r' --shape 480x641x3
object move1 0 explain "jax:mesh x=2 y=2, P('x') => jax:mesh x=2 y=2, P(('x', 'y'))" --shape 16
"$faro" plan 'i -> gray(i)' --on cube:4 --schedule cube.json >/dev/null
object convert1 0 convert cube.json cube.csv
object export1 0 export 'i:4 -> ungray(i)' --to qasm
object gpu1 0 gpu explain 'i:20 -> rev(i)' --element 4
object gpu2 0 gpu explain 'i:20 -> rev(i)' --element 3 --on mi300
object gpu6 0 gpu explain 'r=6001 c=6001 -> c r' --element 4
# Of drivers that are not there, but for their names: what they leave in an array is not the map's.
drivers=$root/build/release/tests/fake
LD_LIBRARY_PATH=$drivers object gpu3 0 gpu devices
LD_LIBRARY_PATH=$drivers object gpu4 1 gpu bench 'i:12 -> rev(i)' --element 4 --device cuda:1
LD_LIBRARY_PATH=$drivers object gpu5 1 gpu tune 'i:12 -> rev(i)' --element 4 --device hip:0
object emit1 0 emit cuda 'i:20 -> rev(i)' --element 8 --in-place
object permute1 0 permute a.npy b.npy --map 'i -> ~i'
object algorithms1 0 algorithms
object maps1 0 maps
object paper1 0 paper
object paper2 0 paper conversion
object simulate1 0 simulate a.npy c.npy --map 'i -> rev(i)' --on torus:8x8
object simulate2 0 simulate a.npy c.npy --map 'p:4 | m:2 -> ungray(p) | m' --on cube:4
object plan1 0 plan 'i -> gray(i)' --on cube:4
object plan2 0 plan 'i -> rev(i)' --on torus:8x8
object plan3 0 plan 'i -> rev(i)' --on pops:8,8
object plan4 0 plan --destinations d.npy --on cube:4
object plan5 0 plan 'i -> gray(i)' --on cube:60 --elements 100 --verify proof
object plan6 0 plan 'i -> gray(i)' --on cube:4 --verify none
object plans1 0 plan 'i:4 -> rev(i)' --on cube:4 --on mesh:4x4 --on cube:5
object traffic1 0 plan 'a:3 | m:4 -> m[3:1] | m[0] a' --on cube:3 --traffic
object traffic2 0 plan --destinations d.npy --on cube:4 --traffic
object file_plan9 0 plan 'r=3000 b:8 c=700 -> c rev(b) r' --on disk:memory=64MiB
object memory_plan1 0 plan 'r c -> c r' --on memory --shape 721x1440 --element-bytes 4
object memory_plan2 0 plan 'i:12 -> rev(i)' --on memory --in-place
object plan11 0 plan 'r=1200 c=24 -> c r' --on cube:3
object exchange4 0 plan 'r=12000 c=12000 -> c r' --on ranks:8 --element-bytes 8
object exchange1 0 plan 'i -> rev(i)' --on ranks:8 --nodes 2 --elements 2^26 --element-bytes 16 --buffer 64MiB
object exchange2 0 plan 'i:64 -> gray(rev(i))' --on ranks:2^40 --nodes 2^20 --element-bytes 16 --relabel --in-place
object exchange3 0 plan 'i:3 -> ~i' --on ranks:8 --element-bytes 3 --startup 0 --transfer 0.5
object plan8 0 plan --butterfly 6 --on cube:3 --layout 'cyclic binary||gray'
object plan10 0 plan --sort 5 --on cube:2 --layout consecutive
object plan9 0 plan 'p:3 | m:4 -> m[3:1] | p m[0]' --on cube:3 --startup 3
"$faro" plan 'i -> gray(i)' --on cube:4 --schedule good.json >/dev/null 2>&1
for written in "i -> gray(i) --on cube:4" "i -> rev(i) --on torus:8x8" "i -> rev(i) --on pops:8,4" \
    "i -> ~i --on ranks:8" "i -> ~i --on fat-tree:2x4,up=2" "--sort 5 --on cube:2" "--butterfly 6 --on cube:3 --output natural"; do
  case $written in --*) map=() rest=$written ;; *) map=("${written%% --on*}") rest="--on${written#*--on}" ;; esac
  # shellcheck disable=SC2086
  "$faro" plan ${map[@]+"${map[@]}"} $rest --schedule s.json >/dev/null 2>&1
  check "a schedule file of $written fits its schema" \
    "$python" "$root/.ci/schema.py" "$root/docs/schemas" s.json
done
for written in loop-cube loop-pops; do
  cp "$root/tests/data/schedules/$written.json" .
  check "$written fits its schema" "$python" "$root/.ci/schema.py" "$root/docs/schemas" $written.json
done
sed 's/"across": *0/"across": 1/' good.json >bad.json
object verdict1 0 verify good.json
object verdict2 1 verify bad.json
object verdict3 1 verify good.json --map 'i -> ungray(i)'
object transform1 0 transform fft x.npy y.npy --on cube:3 --layout cyclic
object matmul1 0 matmul m.npy m.npy p.npy --on pops:4,4
object broadcast1 0 broadcast all-to-all --on pops:4,2
FARO_MACHINE=$PWD/machine object tune1 0 tune --small
object tune2 0 tune --show
"$python" -c "
import numpy as np
a = np.arange(64, dtype='f4').reshape(8, 8); np.save('k.npy', a); a[3, 2] = 9; np.save('w.npy', a)"
object rechunk1 0 rechunk k.npy k.zarr --chunks 3,4 --memory 64MiB --plan
object rechunk2 0 rechunk k.npy k.zarr --chunks 3,4 --memory 64MiB
mkdir g.zarr && echo '{"zarr_format": 3, "node_type": "group"}' >g.zarr/zarr.json && cp -r k.zarr g.zarr/k
object rechunk3 0 rechunk g.zarr h.zarr --chunks 5 --memory 64MiB --plan
py "
import json
text = json.dumps({'w': {'dtype': 'F32', 'shape': [8, 4], 'data_offsets': [0, 128]}}).encode()
open('w.safetensors', 'wb').write(len(text).to_bytes(8, 'little') + text + bytes(range(128)))
open('w.layout', 'w').write('set tp 2\nw shard 1\n')"
object reshard1 0 reshard w.safetensors w2 --to w.layout --memory 64MiB --plan
object reshard2 0 reshard w.safetensors w2 --to w.layout --memory 64MiB --explain
object reshard3 0 reshard w.safetensors w2 --to w.layout --memory 64MiB --verify
object rechunk4 0 rechunk g.zarr h.zarr --chunks 5 --memory 64MiB
object digest1 0 digest g.zarr
object check1 0 check k.npy k.zarr
object check2 1 check w.npy k.zarr
object completions1 0 completions bash
object permute3 0 permute a.npy e.npy --map "i -> ~i" --memory 64MiB --io buffered
object plan7 0 permute a.npy --map "i -> ~i" --memory 64MiB --plan
object plan8 0 plan "i:64 -> rev(i)" --on disk:memory=2GiB,device=hdd
object tiles1 0 permute a.npy t.npy --map "i -> ~i" --memory 64MiB --tiles 0..1
object tune3 0 tune --disk . --size 64MiB --save ./disk-profile.json
object permute2 0 permute a.npy --in-place --map gray --axis 1 --verify
mkdir -p prefix/bin prefix/share/faro
cp "$faro" prefix/bin/faro
echo '<script type="application/json" id="content">null</script>' >prefix/share/faro/explorer.html
faro=$PWD/prefix/bin/faro object explorer1 0 explorer 'i:3 -> ~i' -o page.html

for schema in "$root"/docs/schemas/*.json; do
  format=$(basename "$schema" .json)
  format="${format%-*}/${format##*-}"
  check "some output is a $format" grep -qE "\"format\": ?\"$format\"" ./*.json
done
# the checker itself can say no
printf '{"format": "faro-permute/1", "rows": [{"in": 3}]}' >broken
check "a broken object is refused" sh -c "! '$python' '$root/.ci/schema.py' '$root/docs/schemas' broken >/dev/null"
