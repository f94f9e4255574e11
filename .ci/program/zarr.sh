# faro permute IN.zarr OUT.zarr, held to the package zarr where there is one.
if ! "$python" -c 'import zarr; zarr.__version__.split(".")[0] >= "3" or exit(1)' 2>/dev/null; then
  echo "zarr.sh: there is no zarr 3 for $python, nothing is compared"
else
  py "
import zarr
a = np.random.default_rng(3).integers(0, 2**63, (2**10, 2**11), dtype='<u8')
np.save('a.npy', a)
codecs = {'plain': None, 'zstd': zarr.codecs.ZstdCodec(level=1), 'blosc': zarr.codecs.BloscCodec(cname='lz4')}
for name, codec in codecs.items():
  zarr.create_array(f'{name}.zarr', shape=a.shape, chunks=(2**8, 2**7), dtype=a.dtype, compressors=codec)[:] = a
  zarr.create_array(f'{name}-shards.zarr', shape=a.shape, chunks=(2**6, 2**7), shards=(2**8, 2**9), dtype=a.dtype, compressors=codec)[:] = a
"
  # array FILE EXPRESSION: what zarr reads is the NumPy expression of the array a
  array() { if py "import zarr; a = np.load('a.npy'); z = zarr.open_array('$1', mode='r'); b = $2; sys.exit(not (z.shape == b.shape and (z[:] == b).all()))"; then ok; else bad "$1: wrong array"; fi; }
  for name in plain zstd blosc; do
    for kind in $name $name-shards; do
      "$faro" permute $kind.zarr t-$kind.zarr --map 'r:10 c:11 -> c r' --shape 2048x1024 --chunks 256x128 --memory 68MiB --verify >/dev/null 2>"$stderr"; code=$?
      # a codec that is not built in is refused by its name
      if [ $code = 4 ]; then check "$kind: refused by name" grep -q "$name" "$stderr"; continue; fi
      check "$kind: $(head -c 200 "$stderr")" test $code = 0
      array t-$kind.zarr a.T
      exits "$kind in shards" 0 "$faro" permute $kind.zarr s-$kind.zarr --chunks 64x64 --shards 512x256 --memory 80MiB
      array s-$kind.zarr a
    done
  done
  exits "rechunked in counted passes" 0 "$faro" permute plain.zarr r.zarr --chunks 4x2048 --codec none --memory 52MiB --json
  check "two passes, as the plan says" py "
import json
r = json.load(open('$stdout'))['rows'][0]
assert r['bytes_written'] == r['passes'] * 2**24 and r['bytes_read'] == r['bytes_written'], r"
  array r.zarr a
  exits "one axis" 0 "$faro" permute plain.zarr x.zarr --axis 1 --map 'i -> rev(i)' --memory 60MiB
  array x.zarr "a[:, [int(f'{i:011b}'[::-1], 2) for i in range(2**11)]]"
  exits "the plan alone" 0 "$faro" permute plain.zarr --map 'i -> rev(i)' --memory 60MiB --plan
  prints "the plan alone" 'I/O: '
  exits "what is there is not replaced" 2 "$faro" permute plain.zarr x.zarr --chunks 4x2048
  exits "no power of two" 4 "$faro" permute plain.zarr n.zarr --chunks 3x2048
  exits "chunks of a file" 2 "$faro" permute a.npy n.npy --map gray --chunks 4x4
  exits "killed" 137 sh -c "'$faro' permute plain.zarr k.zarr --map 'i -> rev(i)' --memory 50MiB --passes 3 --checkpoint 0 2>/dev/null & sleep 0.3; kill -9 \$!; wait \$!"
  if [ -e .k.zarr.faro/journal ]; then
    check "nothing has the name" test ! -e k.zarr
    exits "gone on with" 0 "$faro" permute --resume k.zarr
    exits "bit reversal back" 0 "$faro" permute k.zarr back.zarr --map 'i -> rev(i)' --memory 60MiB
    array back.zarr a
  fi
  check "nothing is left behind" sh -c '! ls -d .*.faro 2>/dev/null'
fi
