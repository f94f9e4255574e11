# faro permute: arrays, axes, pipes, what is refused, and files that are complete or absent.
py "
np.save('a.npy', np.arange(1024, dtype='<f8').reshape(8, 128))
np.save('f.npy', np.asfortranarray(np.arange(512, dtype='>i4').reshape(4, 8, 16)))
np.save('odd.npy', np.arange(5 * 16 * 3, dtype='<u2').reshape(5, 16, 3))
np.save('s.npy', np.array([(i, i * 1.5) for i in range(32)], dtype=[('x', '>i2'), ('y', '<f8')]))
np.save('z.npy', np.arange(8, dtype='<c16'))
np.save('one.npy', np.array(7, dtype='u1'))
np.save('ten.npy', np.arange(10))
np.arange(64, dtype='<i4').tofile('raw')
"
exits "bit reversal" 0 "$faro" permute a.npy b.npy --map 'i -> rev(i)' --verify
silent "bit reversal" stdout
same "bit reversal" b.npy "np.load('a.npy').ravel()[[int(format(i, '010b')[::-1], 2) for i in range(1024)]].reshape(8, 128)"
exits "transpose" 0 "$faro" permute a.npy b.npy --map 'r:3 c -> c r'
same "transpose" b.npy "np.load('a.npy').T"
exits "transpose, flat" 0 "$faro" permute a.npy b.npy --map 'r:3 c -> c r' --flat --verify
same "transpose, flat" b.npy "np.load('a.npy').T.ravel().reshape(8, 128)"
exits "transpose, by NumPy" 0 "$faro" permute a.npy b.npy --map 'numpy:a.T' --verify
same "transpose, by NumPy" b.npy "np.load('a.npy').T"
exits "words that do not fit" 2 "$faro" permute a.npy b.npy --map 'r:4 c -> c r'; says "words that do not fit" "axis 0 has length 8, the words say 16"
exits "too few names" 2 "$faro" permute f.npy b.npy --map 'r c -> c r'; says "too few names" "b r c -> b c r"
exits "two axes together" 0 "$faro" permute f.npy b.npy --map 'r c -> c r' --axis 1,2 --verify
same "two axes together" b.npy "np.load('f.npy').transpose(0, 2, 1)"
exits "axes that are no neighbours" 2 "$faro" permute f.npy b.npy --map gray --axis 0,2; says "axes that are no neighbours" "--axis 0 --axis 2"
exits "a group" 0 "$faro" permute odd.npy b.npy --map '(a=4 b) -> b a' --axis 1 --verify
same "a group" b.npy "np.load('odd.npy').reshape(5, 4, 4, 3).transpose(0, 2, 1, 3)"
exits "a roll" 0 "$faro" permute odd.npy b.npy --map 'r b c -> roll(r, 2) b roll(c, -1)' --verify
same "a roll" b.npy "np.roll(np.load('odd.npy'), (2, -1), (0, 2))"
exits "einops" 0 "$faro" permute odd.npy b.npy --map 'einops:r (b a) c -> (r c) b a, a=4' --verify
same "einops" b.npy "np.load('odd.npy').reshape(5, 4, 4, 3).transpose(0, 3, 1, 2).reshape(15, 4, 4)"
cp a.npy c.npy
exits "another shape in place" 2 "$faro" permute c.npy --in-place --map 'r c -> c r'; says "another shape in place" "in place the shape stays (8, 128)"
exits "the flat index in place" 0 "$faro" permute c.npy --in-place --map 'r:3 c -> c r' --flat
same "the flat index in place" c.npy "np.load('a.npy').T.ravel().reshape(8, 128)"
for threads in 1 2 3 16; do
  exits "threads $threads" 0 "$faro" permute a.npy "t$threads.npy" --map 'i -> gray(rev(i)) ^ 0x5' --threads $threads
  check "threads $threads" cmp -s t1.npy "t$threads.npy"
done
exits "Fortran order, whole array" 0 "$faro" permute f.npy b.npy --map 'i -> ~i' --verify
same "Fortran order, whole array" b.npy "np.load('f.npy').ravel()[::-1].reshape(4, 8, 16)"
check "Fortran order is kept" py "sys.exit(not np.load('b.npy').flags.f_contiguous)"
exits "Fortran order, rotation" 0 "$faro" permute f.npy b.npy --map 'a:2 b:3 c:4 -> c a b' --verify
same "Fortran order, rotation" b.npy "np.load('f.npy').transpose(2, 0, 1)"
for axis in 0 1 2 -1; do
  exits "axis $axis" 0 "$faro" permute f.npy b.npy --map 'i -> ~i' --axis $axis --verify
  same "axis $axis" b.npy "np.flip(np.load('f.npy'), $axis)"
done
exits "axis of an odd array" 0 "$faro" permute odd.npy b.npy --map gray --axis 1 --verify
same "axis of an odd array" b.npy "np.load('odd.npy')[:, [g ^ (g >> 1) ^ (g >> 2) ^ (g >> 3) for g in range(16)], :]"

# axes and batches beside NumPy: every dtype, shapes with odd counts on either side, in place too
py "
for name in ['u1', '<i2', '>i4', '<f8', '<c16', 'S3', 'S12']:
    for at, shape in enumerate([(5, 16, 3), (7, 3, 32), (64, 9), (3, 8, 2, 5), (1, 128, 1), (1000, 4)]):
        size = int(np.prod(shape)) * np.dtype(name).itemsize
        flat = np.random.default_rng(at).integers(65, 91, size, dtype='u1')
        np.save(f'batch-{name}-{at}.npy', flat.view(name).reshape(shape))
"
axes=(1 2 0 1 1 1)
for name in u1 '<i2' '>i4' '<f8' '<c16' S3 S12; do
  for at in 0 1 2 3 4 5; do
    one=batch-$name-$at.npy
    axis=${axes[$at]}
    exits "axis $axis of $one" 0 "$faro" permute "$one" b.npy --map 'i -> gray(rev(i)) ^ 1' --axis $axis
    # NumPy gathers: to[map(i)] = from[i] is take by the inverse of map
    gathered="np.take(np.load('$one'), np.argsort([(r := int(format(i, f'0{w}b')[::-1], 2)) ^ (r >> 1) ^ 1 for w in [np.load('$one').shape[$axis].bit_length() - 1] for i in range(2**w)]), axis=$axis)"
    same "axis $axis of $one" b.npy "$gathered"
    cp "$one" c.npy
    exits "axis $axis of $one in place" 0 "$faro" permute c.npy --in-place --map 'i -> gray(rev(i)) ^ 1' --axis $axis
    check "axis $axis of $one in place" cmp -s b.npy c.npy
  done
done
# a rotation of an axis's bits is a transpose of the axis cut in two
py "np.save('cut.npy', np.arange(5 * 64 * 3, dtype='<i4').reshape(5, 64, 3))"
exits "an axis cut in two" 0 "$faro" permute cut.npy b.npy --map 'r:2 c:4 -> c r' --axis 1
same "an axis cut in two" b.npy "np.load('cut.npy').reshape(5, 4, 16, 3).transpose(0, 2, 1, 3).reshape(5, 64, 3)"
exits "structured" 0 "$faro" permute s.npy b.npy --map vector-reversal
same "structured" b.npy "np.load('s.npy')[::-1]"
exits "one element" 0 "$faro" permute one.npy b.npy --map 'i:0 -> i'
same "one element" b.npy "np.load('one.npy')"
exits "raw" 0 "$faro" permute raw rawout --map 'i -> ~i' --element-bytes 4
check "raw" py "sys.exit(not (np.fromfile('rawout', '<i4') == np.arange(64)[::-1]).all())"

# a map and its inverse give the file back, byte for byte
exits "there" 0 "$faro" permute a.npy there.npy --map 'i -> rot(gray(i), 3)'
exits "and back" 0 "$faro" permute there.npy back.npy --map 'i -> ungray(rot(i, -3))'
check "there and back" cmp -s a.npy back.npy

# axes of any length, NumPy's axes and orders
py "
np.save('odd3.npy', np.arange(5 * 16 * 3, dtype='<u2').reshape(5, 16, 3))
np.save('oddf.npy', np.asfortranarray(np.arange(7 * 9 * 4, dtype='<f8').reshape(7, 9, 4)))
np.save('wide.npy', np.arange(601 * 403, dtype='<f4').reshape(601, 403))
"
exits "axes" 0 "$faro" permute odd3.npy b.npy --axes 2,0,1 --verify
same "axes" b.npy "np.load('odd3.npy').transpose(2, 0, 1)"
exits "axes of a Fortran array" 0 "$faro" permute oddf.npy b.npy --axes=-1,1,0 --verify
same "axes of a Fortran array" b.npy "np.load('oddf.npy').transpose(2, 1, 0)"
exits "an order" 0 "$faro" permute oddf.npy b.npy --order C --verify
same "an order" b.npy "np.load('oddf.npy')"
check "an order" py "sys.exit(not np.load('b.npy').flags.c_contiguous)"
exits "fields that are axes" 0 "$faro" permute odd3.npy b.npy --map 'r b c -> c rev(b) ~r' --verify
same "fields that are axes" b.npy "np.load('odd3.npy').transpose(2, 1, 0)[:, [int(format(i, '04b')[::-1], 2) for i in range(16)], ::-1]"
exits "fields of lengths" 0 "$faro" permute wide.npy b.npy --map 'r=601 c=403 -> c r' --verify --threads 2
same "fields of lengths" b.npy "np.load('wide.npy').T"
exits "one axis of any length" 0 "$faro" permute odd3.npy b.npy --axis 0 --map 'i -> ~i' --verify
same "one axis of any length" b.npy "np.load('odd3.npy')[::-1]"
cp wide.npy c.npy
exits "axes in place" 0 "$faro" permute c.npy --in-place --axes 1,0
same "axes in place" c.npy "np.load('wide.npy').T"
exits "axes that are none" 2 "$faro" permute odd3.npy b.npy --axes 0,1
exits "axes and a map" 2 "$faro" permute odd3.npy b.npy --axes 2,1,0 --map gray
exits "no such order" 2 "$faro" permute odd3.npy b.npy --order X; says "no such order" "C, F, A or K"

# pipes
exits "stdin to stdout" 0 sh -c "cat a.npy | '$faro' permute - - --map 'i -> ~i' >b.npy"
same "stdin to stdout" b.npy "np.load('a.npy').ravel()[::-1].reshape(8, 128)"
exits "raw pipe" 0 sh -c "cat raw | '$faro' permute - - --element-bytes 4 --map 'i -> ~i' >p.raw"
check "raw pipe" cmp -s p.raw rawout
exits "a full disk behind a pipe" 3 sh -c "'$faro' permute a.npy - --map 'i -> i' >/dev/full"
exits "two who want stdout" 2 "$faro" permute a.npy - --map 'i -> i' --json

# in place, same file, links
cp a.npy c.npy
exits "in place" 0 "$faro" permute c.npy --in-place --map 'i -> ~i' --verify
same "in place" c.npy "np.load('a.npy').ravel()[::-1].reshape(8, 128)"
exits "same file" 0 "$faro" permute c.npy c.npy --map 'i -> ~i'
check "same file" cmp -s a.npy c.npy
ln -s c.npy link.npy
exits "through a link" 0 "$faro" permute a.npy link.npy --map 'i -> ~i'
check "the link stays" test -L link.npy
same "through a link" c.npy "np.load('a.npy').ravel()[::-1].reshape(8, 128)"

# refusals leave no file
mkdir none; cd none || exit 1
exits "no power of two" 2 "$faro" permute ../ten.npy b.npy --map gray
says "no power of two" "8 and 16 are the nearest"
exits "another axis would do" 2 "$faro" permute ../odd.npy b.npy --map gray
says "another axis would do" "axis 1"
exits "a file named .zarr" 2 "$faro" permute ../a.npy b.zarr --map gray; says "a file named .zarr" "faro rechunk"
exits "an archive as output" 2 "$faro" permute ../a.npy b.npz --map gray; says "an archive as output" "name it .npy"
printf 'PK\3\4 and more than twelve bytes' >../zip.npz
exits "an archive" 2 "$faro" permute ../zip.npz b.npy --map gray; says "an archive" "this is an archive"
exits "a map without quotes" 2 "$faro" explain r:2 c:2 - c; says "a map without quotes" "in quotes"
exits "--unchanged without --resume" 2 "$faro" permute ../a.npy b.npy --map gray --unchanged
exits "a name that a terminal would obey" 3 "$faro" permute $'\e[31mno.npy' b.npy --map gray
says "a name that a terminal would obey" '\x1b[31mno.npy'
exits "an ending that no picture has" 2 "$faro" explain 'i:4 -> rev(i)' --export a.png; says "an ending that no picture has" "one of svg, tikz"
exits "no such axis" 2 "$faro" permute ../a.npy b.npy --map gray --axis 2
exits "a width that contradicts" 2 "$faro" permute ../a.npy b.npy --map 'i:11 -> ~i'
exits "no .npy" 2 "$faro" permute ../raw b.npy --map gray; says "no .npy" "--element-bytes"
exits "elements that do not divide" 2 "$faro" permute ../raw b --map gray --element-bytes 5
exits "no bytes" 2 "$faro" permute ../raw b --map gray --element-bytes 0
exits "no such file" 3 "$faro" permute missing.npy b.npy --map gray; says "no such file" "missing.npy"
exits "no such folder" 3 "$faro" permute ../a.npy nowhere/b.npy --map gray
exits "a folder as output" 3 "$faro" permute ../a.npy .. --map gray
exits "OUT missing" 2 "$faro" permute ../a.npy --map gray; says "OUT missing" "--in-place"
exits "OUT and --in-place" 2 "$faro" permute ../a.npy b.npy --in-place --map gray
exits "--in-place of a pipe" 2 "$faro" permute - --in-place --map gray
exits "--map missing" 2 "$faro" permute ../a.npy b.npy
exits "no threads" 2 "$faro" permute ../a.npy b.npy --map gray --threads 0
head -c 5000 ../a.npy >../cut.npy
exits "a file cut short" 2 "$faro" permute ../cut.npy b.npy --map gray; says "cut short" "cut short"
"$python" - <<'P'
# petabytes claimed, through a pipe and as a sparse file
import struct
text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1125899906842624,), }"
text += ' ' * (63 - (10 + len(text)) % 64) + '\n'
open('../huge', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode())
P
exits "more than memory from a pipe" 3 sh -c "cat ../huge | '$faro' permute - b.npy --map gray"
says "more than memory" "9007199254740992 bytes"
only "refusals leave no file" . ""
cd ..

# an interrupt and a kill: the old file, and nothing beside it; the array is large enough for the work to last
# beyond the longest delay on a busy machine. A shell starts what runs beside it deaf to INT until the program asks
# for it, so the shortest delay lets it start
py "np.save('big.npy', np.arange(2**26, dtype='<u4'))"
mkdir cut
cp a.npy cut/b.npy
for signal in INT TERM KILL; do
  for delay in 0.03 0.05 0.08 0.12; do
    "$faro" permute big.npy cut/b.npy --map 'i -> rev(i)' --verify --threads 1 2>/dev/null &
    pid=$!
    sleep $delay
    kill -$signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    if cmp -s a.npy cut/b.npy; then ok; else bad "$signal after $delay: the old file is gone (exit code $code)"; cp a.npy cut/b.npy; fi
    case $signal in
      INT) check "exit code after $signal: $code" test $code = 130 ;;
      TERM) check "exit code after $signal: $code" test $code = 143 ;;
    esac
    only "after $signal" cut "b.npy "
  done
done

# progress: on a terminal with rate, nowhere else
if command -v script >/dev/null; then
  TERM=xterm script -qec "'$faro' permute big.npy p.npy --map 'i -> rev(i)' --verify --threads 1" /dev/null </dev/null >terminal
  check "progress on a terminal" grep -qE '%.*B/s' terminal
fi
exits "no progress in a file" 0 "$faro" permute big.npy p.npy --map 'i -> rev(i)'
check "no progress in a file" sh -c "! grep -q '%' '$stderr'"

# a mapped input that somebody cuts short meanwhile: an error or a whole file, never half of one
mkdir short
for delay in 0.01 0.02 0.04 0.08 0.2; do
  cp big.npy shrinking.npy
  rm -f short/b.npy
  "$faro" permute shrinking.npy short/b.npy --map 'i -> rev(i)' --verify --threads 1 2>"$stderr" &
  pid=$!
  sleep $delay
  truncate -s 4096 shrinking.npy
  wait $pid
  code=$?
  if [ $code = 0 ]; then
    only "cut short after $delay" short "b.npy "
  else
    check "cut short after $delay: exit code $code" test $code = 2 -o $code = 3
    check "cut short after $delay: a message" test -s "$stderr"
    only "cut short after $delay" short ""
  fi
done

# several axes, the way back, sizes told with the array
py "np.save('cube.npy', np.arange(3*16*8, dtype='u2').reshape(3, 16, 8))"
exits "two axes" 0 "$faro" permute cube.npy two.npy --map gray --axis 1 --axis -1 --verify
exits "one" 0 "$faro" permute cube.npy one.npy --map gray --axis 1
exits "and the other" 0 "$faro" permute one.npy one.npy --map gray --axis 2
check "two axes in one call" cmp -s one.npy two.npy
exits "the way back" 0 "$faro" permute two.npy back.npy --map gray --axis 1 --axis 2 --inverse
check "the way back" cmp -s back.npy cube.npy
exits "an axis twice" 2 "$faro" permute cube.npy x.npy --map gray --axis 1 --axis -2; says "an axis twice" "given before"
exits "axes" 0 "$faro" permute cube.npy axes.npy --axes 2,0,1
exits "axes back" 0 "$faro" permute axes.npy back.npy --axes 2,0,1 --inverse; check "axes back" cmp -s back.npy cube.npy
exits "one axis, through the disk" 0 "$faro" permute cube.npy disk.npy --map 'i -> rot(i, 1)' --axis 1 --memory 1MiB
exits "its way back" 0 "$faro" permute disk.npy back.npy --map 'i -> rot(i, 1)' --axis 1 --memory 1MiB --inverse
check "its way back" cmp -s back.npy cube.npy
exits "another shape's way back" 2 "$faro" permute cube.npy x.npy --map 'a b c -> c rev(b) a' --inverse
exits "a size" 2 "$faro" permute cube.npy x.npy --map 'i:6 -> rev(i)' --axis 1
says "a size" "cube.npy, axis 1 of shape (3, 16, 8), 2^4 elements"
exits "no bits" 2 "$faro" permute cube.npy x.npy --map 'i -> rev(i)'; says "no bits" "--axis takes axis 1 (16 elements), axis 2"
py "np.save('m.npy', np.arange(1024).reshape(64, 16)); np.save('st.npy', np.arange(1024)); np.save('b8.npy', np.arange(256))"
exits "a size on several axes" 2 "$faro" permute m.npy x.npy --map 'i:6 -> gray(i)' --axis 0 --axis 1
says "a size on several axes" "m.npy, axis 1 of shape (64, 16), 2^4 elements: "
exits "a bit that is not there" 2 "$faro" permute st.npy x.npy --map 'i -> front(i, 20, 17, 3)'
says "a bit that is not there" "st.npy, shape (1024,), 2^10 elements: range at column 15: bit 20"
exits "a layout without sizes" 2 "$faro" permute b8.npy x.npy --map 'block => cyclic'
says "a layout without sizes" "needs its sizes: block:4|4"
exits "a layout with these sizes" 0 "$faro" permute b8.npy x.npy --map 'block:4|4 => cyclic'
for bare in 'front(i, 3)' 'back(i, 2)' 'swap(i, 1, 2)' 'i[0] rest'; do
  exits "$bare" 0 "$faro" permute b8.npy bare.npy --map "$bare"
  exits "i -> $bare" 0 "$faro" permute b8.npy arrow.npy --map "i -> $bare"
  check "$bare is i -> $bare" cmp -s bare.npy arrow.npy
done
