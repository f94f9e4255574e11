# faro permute --memory: arrays larger than memory, in passes over the file.
# 64 MiB of memory leave tiles of 4 MiB beside the 48 MiB for everything else.
py "
rng = np.random.default_rng(5)
rng.integers(0, 2**63, 2**21, dtype='<u8').tofile('big.raw')
np.save('big.npy', np.fromfile('big.raw', dtype='<u8').reshape(2**9, 2**12))
np.save('odd.npy', rng.integers(0, 255, (3, 2**20, 5), dtype='u1'))
"
reversal="i -> rev(i)"
# disk NAME OPTIONS...: by disk beside in memory
exits "in memory" 0 "$faro" permute big.raw small.raw --element-bytes 8 --map "$reversal"
for options in "--passes 1 --io buffered" "--passes 2" "--passes 3" "--run 64KiB --device hdd" "--io buffered --verify"; do
  # shellcheck disable=SC2086
  exits "by disk $options" 0 "$faro" permute big.raw out.raw --element-bytes 8 --map "$reversal" --memory 64MiB $options
  check "by disk $options" cmp -s small.raw out.raw
  rm out.raw
done
exits "transposed by disk" 0 "$faro" permute big.npy out.npy --map 'r:9 c -> c r' --memory 60MiB --passes 2 --verify
same "transposed by disk" out.npy "np.load('big.npy').T"
exits "another system's words by disk" 0 "$faro" permute big.npy words.npy --map 'numpy:a.T' --memory 60MiB --passes 2
check "another system's words by disk" cmp -s out.npy words.npy
rm words.npy
check "the data can be mapped from its file" py "sys.exit(np.load('out.npy', mmap_mode='r').offset != 4096)"
exits "an axis by disk" 0 "$faro" permute odd.npy out.npy --map 'i -> gray(i) ^ 1' --axis 1 --memory 52MiB --passes 2 --verify
same "an axis by disk" out.npy "np.take(np.load('odd.npy'), np.argsort((lambda i: i ^ (i >> 1) ^ 1)(np.arange(2**20))), axis=1)"

# axes of any length: one pass over blocks
py "
rng = np.random.default_rng(6)
np.save('matrix.npy', rng.integers(0, 2**63, (1501, 3003), dtype='<u8'))
np.save('pixels.npy', rng.integers(0, 255, (400, 256, 100, 3), dtype='u1'))
"
exits "a matrix by disk" 0 "$faro" permute matrix.npy out.npy --map 'r c -> c ~r' --memory 54MiB --verify
same "a matrix by disk" out.npy "np.load('matrix.npy').T[:, ::-1]"
exits "axes by disk" 0 "$faro" permute pixels.npy out.npy --axes 3,0,2,1 --memory 52MiB --verify --io direct
same "axes by disk" out.npy "np.load('pixels.npy').transpose(3, 0, 2, 1)"
exits "lengths and bits by disk" 0 "$faro" permute pixels.npy out.npy --map 'a b c d -> c gray(b) ~a d' --memory 52MiB
same "lengths and bits by disk" out.npy "np.load('pixels.npy')[::-1].transpose(2, 1, 0, 3)[:, np.argsort((lambda i: i ^ (i >> 1))(np.arange(256)))]"
exits "another order by disk" 0 "$faro" permute matrix.npy out.npy --order F --memory 54MiB
same "another order by disk" out.npy "np.load('matrix.npy')"
exits "back from another order" 0 "$faro" permute out.npy out.npy --order C --memory 54MiB --verify
check "back from another order" py "sys.exit(not (np.load('out.npy') == np.load('matrix.npy')).all())"
exits "lengths planned" 0 "$faro" permute matrix.npy none.npy --axes 1,0 --memory 54MiB --plan
prints "lengths planned" "1 pass"
exits "lengths without a file" 0 "$faro" plan 'r=360000 c=360001 -> c r' --on disk:memory=2GiB --element-bytes 8
prints "lengths without a file" "proved for all 129600360000 elements"
exits "lengths in two passes" 4 "$faro" permute matrix.npy none.npy --axes 1,0 --memory 54MiB --passes 2
says "lengths in two passes" "one pass"
exits "lengths in place without units" 4 "$faro" permute matrix.npy --in-place --axes 1,0 --memory 54MiB
says "lengths in place without units" "another file as the output"
cp matrix.npy same.npy
exits "lengths in place by disk" 0 "$faro" permute same.npy --in-place --map 'numpy:np.roll(a[:, ::-1], 7, 0)' --memory 54MiB --verify
same "lengths in place by disk" same.npy "np.roll(np.load('matrix.npy')[:, ::-1], 7, 0)"
tile=0
until [ -e tiles.npy ] || [ $tile = 99 ]; do
  exits "tile $tile of lengths" 0 "$faro" permute matrix.npy tiles.npy --axes 1,0 --memory 54MiB --tiles $tile..$((tile + 1))
  tile=$((tile + 1))
done
same "tiles of lengths" tiles.npy "np.load('matrix.npy').T"
exits "lengths rolled by disk" 0 "$faro" permute matrix.npy tiles.npy --map 'numpy:np.fft.fftshift(a)' --memory 54MiB --verify
same "lengths rolled by disk" tiles.npy "np.fft.fftshift(np.load('matrix.npy'))"
rm tiles.npy
rm matrix.npy pixels.npy

for options in "" "--run 32KiB" "--passes 3 --verify" "--io buffered"; do
  cp big.raw same.raw
  # shellcheck disable=SC2086
  exits "in place by disk $options" 0 "$faro" permute same.raw --in-place --element-bytes 8 --map "$reversal" --memory 64MiB $options
  check "in place by disk $options" cmp -s small.raw same.raw
done
cp big.npy same.npy
exits "in place behind a header" 0 "$faro" permute same.npy --in-place --map 'r:9 c -> c r' --flat --memory 60MiB --verify
same "in place behind a header" same.npy "np.load('big.npy').T.ravel().reshape(2**9, 2**12)"
cp odd.npy same.npy
exits "an axis in place" 0 "$faro" permute same.npy --in-place --map 'i -> gray(i) ^ 1' --axis 1 --memory 52MiB
same "an axis in place" same.npy "np.take(np.load('odd.npy'), np.argsort((lambda i: i ^ (i >> 1) ^ 1)(np.arange(2**20))), axis=1)"
exits "no temporary file" 0 "$faro" permute big.raw out.raw --element-bytes 8 --map "$reversal" --memory 64MiB --passes 2 --no-temporary --verify
check "no temporary file" cmp -s small.raw out.raw
rm out.raw
check "nothing is left behind" sh -c '! ls -d .*.faro* 2>/dev/null'

# the plan touches nothing
exits "plan" 0 "$faro" permute big.raw none.raw --element-bytes 8 --map "$reversal" --memory 64MiB --passes 2 --plan
prints "plan" "pass 2"; prints "plan" "16 MiB temporary"
check "plan touches nothing" test ! -e none.raw -a ! -e .none.raw.faro
exits "plan in place" 0 "$faro" permute big.raw --in-place --element-bytes 8 --map "$reversal" --memory 64MiB --plan
prints "plan in place" "array in place"; prints "plan in place" "for the log"
exits "plan without a temporary file" 0 "$faro" permute big.raw none.raw --element-bytes 8 --map "$reversal" --memory 64MiB --passes 2 --plan --no-temporary
prints "plan without a temporary file" "output in place"; prints "plan without a temporary file" "nothing temporary"
exits "in place with a temporary file" 2 "$faro" permute big.raw --in-place --element-bytes 8 --map "$reversal" --memory 64MiB --temporary .
exits "too little memory" 4 "$faro" permute big.raw none.raw --element-bytes 8 --map "$reversal" --memory 20MiB
says "too little memory" "would do"
exits "one pass with long runs" 4 "$faro" permute big.raw none.raw --element-bytes 8 --map "$reversal" --memory 64MiB --passes 1 --run 1MiB
says "one pass with long runs" "would do"
exits "an amount that is none" 2 "$faro" permute big.raw none.raw --element-bytes 8 --map "$reversal" --memory much
exits "no unfinished run" 2 "$faro" permute --resume none.raw
exits "--resume with a map" 2 "$faro" permute big.raw none.raw --resume --map "$reversal"

# an array in four chunks, without the package zarr: what is refused, and that it is by name
mkdir -p plain.zarr/c/0
py "
a = np.fromfile('big.raw', dtype='<u8').reshape(2, 4, -1)
for j in range(4): a[:, j].tofile(f'plain.zarr/c/0/{j}')
"
cat >plain.zarr/zarr.json <<'EOJ'
{"zarr_format": 3, "node_type": "array", "shape": [2, 1048576], "data_type": "uint64", "fill_value": 0,
 "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 262144]}}, "attributes": {},
 "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
 "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
EOJ
for options in "" "--no-temporary --verify"; do
  # shellcheck disable=SC2086
  exits "an array in chunks $options" 0 "$faro" permute plain.zarr out.zarr --map "$reversal" --memory 64MiB --passes 2 --chunks 2x1048576 $options
  check "an array in chunks $options" cmp -s small.raw out.zarr/c/0/0
  rm -r out.zarr
done
mkdir group.zarr; cp -r plain.zarr group.zarr/a; echo '{"zarr_format": 3, "node_type": "group"}' >group.zarr/zarr.json
exits "a group" 0 "$faro" rechunk group.zarr whole.zarr --chunks 2x1048576 --memory 80MiB
check "a group" cmp -s big.raw whole.zarr/a/c/0/0
check "what a group says" test -e whole.zarr/zarr.json
rm -r group.zarr whole.zarr
exits "an array in chunks in place" 2 "$faro" permute plain.zarr --in-place --map "$reversal" --memory 64MiB; says "an array in chunks in place" "--in-place is for one file"
exits "an array in chunks in place, planned" 2 "$faro" permute plain.zarr --in-place --map "$reversal" --memory 64MiB --plan
exits "tiles of an array in chunks" 2 "$faro" permute plain.zarr out.zarr --map "$reversal" --memory 64MiB --tiles 0..1; says "tiles of an array in chunks" "for one file"
exits "an array in chunks of its own elements" 2 "$faro" permute plain.zarr out.zarr --map "$reversal" --element-bytes 8; says "an array in chunks of its own elements" "says itself"
"$faro" permute plain.zarr out.zarr --map "$reversal" --memory 128MiB --codec zstd --no-temporary >/dev/null 2>"$stderr"; code=$?
check "encoded chunks within the output" test $code = 2 -o $code = 4
grep -qE "read and written whole|zstd" "$stderr" || bad "encoded chunks within the output: $(cat "$stderr")"

# a device measured once, kept by name and in a file, told apart from classes
export XDG_CONFIG_HOME=$PWD/config
exits "a device is measured" 0 "$faro" tune --disk . --size 64MiB --save mine --json
check "a device is measured" "$python" "$root/.ci/schema.py" "$root/docs/schemas" "$stdout"
exits "a device is measured into a file, by the old name" 0 "$faro" bench --disk . --size 64MiB --save ./disk.json
says "a device is measured into a file, by the old name" "faro tune --disk"
exits "a disk without a name" 2 "$faro" tune --disk . --size 64MiB; says "a disk without a name" "--save"
exits "a name without a disk" 2 "$faro" tune --save mine
exits "planned by a measured device" 0 "$faro" permute big.raw out.raw --element-bytes 8 --map "$reversal" --memory 64MiB --plan --device mine
prints "planned by a measured device" "by the profile 'mine'"
exits "a file of a device" 0 "$faro" plan 'i:40 -> rev(i)' --on disk:memory=2GiB,device=./disk.json
for runs in 9000000:2 1:1; do
  sed -i "s/_run_nanoseconds\": [0-9]*/_run_nanoseconds\": ${runs%:*}/" disk.json
  exits "what runs cost decides" 0 "$faro" permute big.raw out.raw --element-bytes 8 --map "$reversal" --memory 64MiB --device ./disk.json
  says "what runs cost decides" "in ${runs#*:} pass"
  check "what runs cost decides" cmp -s small.raw out.raw
  rm out.raw
done
exits "no such device" 2 "$faro" permute big.raw out.raw --element-bytes 8 --map gray --memory 64MiB --device yours
says "no such device" "ssd, cloud, network, hdd, mine"
exits "a class is no name" 2 "$faro" tune --disk . --size 64MiB --save hdd
echo '{"format": "faro-disk-profile/1", "name": "x", "read_bytes_per_second": 0}' >disk.json
exits "a damaged device" 2 "$faro" permute big.raw out.raw --element-bytes 8 --map gray --memory 64MiB --device ./disk.json
says "a damaged device" "./disk.json"
unset XDG_CONFIG_HOME

# The second judge of plans walks every unit, up to 2^20 of them.
for bits in 19 20; do
  exits "2^$bits units are walked" 0 "$faro" plan "i:$bits -> rev(i)" --on disk:memory=64MiB --verify replay
done
exits "2^21 units are too many to walk" 4 "$faro" plan 'i:21 -> rev(i)' --on disk:memory=64MiB --verify replay
says "2^21 units are too many to walk" '2^20 is the most'
