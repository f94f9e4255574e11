# faro permute --tiles: several processes make one file, in any order, at the same time, killed or not.
# 64 MiB of memory leave tiles of 4 MiB: 4 of them, and two passes.
py "
np.random.default_rng(9).integers(0, 2**63, 2**21, dtype='<u8').tofile('shared.raw')
np.save('shared.npy', np.fromfile('shared.raw', dtype='<u8'))
"
share=("$faro" permute shared.raw tiles.raw --element-bytes 8 --map 'i -> rev(i)' --memory 64MiB --passes 2)
exits "the whole" 0 "$faro" permute shared.raw whole.raw --element-bytes 8 --map 'i -> rev(i)'
exits "the second pass before the first" 2 "${share[@]}" --pass 2 --tiles 0..4
says "the second pass before the first" 'its tiles 0..4 are missing'
"${share[@]}" --pass 1 --tiles 0..2 2>one & first=$!
"${share[@]}" --pass 1 --tiles 2..4 2>two & second=$!
check "two at the same time" wait $first; check "two at the same time" wait $second
check "one of them saw the pass complete" grep -q 'the pass is complete, --pass 2 is next' one two
exits "a pass that is done, as JSON" 0 "${share[@]}" --pass 1 --tiles 1..2 --json
check "nothing is missing" py "
import json
r = json.load(open('$stdout'))['rows'][0]
assert r['tiles_missing'] == 0 and not r['complete'] and r['bytes_written'] == 4 << 20
"
exits "a part of the last pass" 0 "${share[@]}" --pass 2 --tiles 3..4
says "a part of the last pass" '3 of this pass are missing, from 0 on'
check "nothing has the name yet" test ! -e tiles.raw
exits "another map meanwhile" 2 "${share[@]/rev(i)/gray(i)}" --pass 1 --tiles 0..1
says "another map meanwhile" 'another request'
"${share[@]}" --pass 2 --tiles 0..3 >/dev/null 2>&1 & victim=$!
kill -9 $victim 2>/dev/null; wait $victim 2>/dev/null
if [ ! -e tiles.raw ]; then exits "what a kill left" 0 "${share[@]}" --pass 2 --tiles 0..3; fi
check "the last one gives the name" cmp -s tiles.raw whole.raw
check "nothing is left behind" sh -c '! ls -d .tiles.raw.faro* 2>/dev/null'
exits "with a header" 0 "$faro" permute shared.npy tiles.npy --map 'i -> rev(i)' --memory 64MiB --passes 1 --tiles 0..4
same "with a header" tiles.npy "np.fromfile('whole.raw', dtype='<u8')"
exits "without memory" 2 "$faro" permute shared.npy n.npy --map gray --tiles 0..4
exits "without a pass" 2 "${share[@]}" --tiles 0..4
exits "tiles that are none" 2 "${share[@]}" --pass 1 --tiles 4..8
exits "a range that is none" 2 "${share[@]}" --pass 1 --tiles 3..3
exits "a pass that is none" 2 "${share[@]}" --pass 3 --tiles 0..1
exits "in place" 2 "$faro" permute shared.npy --in-place --map gray --memory 64MiB --tiles 0..4
exits "verified by nobody" 2 "${share[@]}" --pass 1 --tiles 0..1 --verify
rm -f shared.raw shared.npy whole.raw tiles.raw tiles.npy
