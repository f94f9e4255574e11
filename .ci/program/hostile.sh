# What a hostile user found, once each: streams that take nothing, numbers that wrap, files that are others.
py "np.save('a.npy', np.arange(16, dtype='u1')); np.save('u.npy', np.array([3, 5, 0, 7], 'u1')); np.save('i.npy', np.array([3, 5, 0, 7], 'i8'))"

# standard error closed or full: the exit code is that of the work
exits "stderr closed, an error" 2 sh -c "exec '$faro' explain 'r:1 -> q' 2>&-"
exits "stderr full, an error" 2 sh -c "exec '$faro' explain 'r:1 -> q' 2>/dev/full"
exits "stderr closed, a success" 0 sh -c "exec '$faro' permute a.npy b.npy --map identity 2>&-"
same "stderr closed, a success" b.npy "np.arange(16, dtype='u1')"
exits "stderr full, a success" 0 sh -c "exec '$faro' permute a.npy c.npy --map identity 2>/dev/full"
same "stderr full, a success" c.npy "np.arange(16, dtype='u1')"
exits "stdout closed" 3 sh -c "exec '$faro' explain 'i:4 -> i' >&-"
exits "stdout full" 3 sh -c "exec '$faro' explain 'i:4 -> i' >/dev/full"

# differences of unsigned integers
exits "wht of unsigned" 2 "$faro" transform wht u.npy w.npy --on cube:1
says "wht of unsigned" "make them signed first"
exits "wht of signed" 0 "$faro" transform wht i.npy w.npy --on cube:1
same "wht of signed" w.npy "np.array([15, -9, 1, 5])"

# packets and prices
exits "packet of 2^64 - 1" 0 "$faro" plan 'a:4 -> ungray(a)' --on cube:4 --elements 100 --startup 10 --transfer 1 --packet 18446744073709551615 --json
cp "$stdout" whole
exits "packet of all" 0 "$faro" plan 'a:4 -> ungray(a)' --on cube:4 --elements 100 --startup 10 --transfer 1 --packet 100 --json
check "no packet is larger than what there is" cmp -s whole "$stdout"
exits "an infinite price" 2 "$faro" plan 'a:4 -> ungray(a)' --on cube:4 --startup inf --transfer 1
exits "a price beyond numbers" 4 "$faro" plan 'a:4 -> ungray(a)' --on cube:4 --elements 100 --startup 1e308 --transfer 1e308

# a .npy file as bare elements
exits "npy as elements" 0 "$faro" permute a.npy d.npy --element-bytes 1 --map 'i -> ~i'
says "npy as elements" "begins as a .npy file does"

# no JSON: with the file's name, without the parser's
printf '{"format":' >broken.json
exits "broken JSON" 2 "$faro" verify broken.json
says "broken JSON" "broken.json: no JSON: byte"
check "broken JSON" sh -c "! grep -qE 'json.exception|parse error|while parsing' '$stderr'"
says "broken JSON" "byte 11, line 1, column 11: unexpected end of input"

# more than the disk has: refused before anything is taken
mkdir full
if mount -t tmpfs -o size=8m tmpfs full 2>/dev/null; then
  truncate -s 64M large.raw
  for out in full/o.raw full/p.raw; do
    "$faro" permute large.raw $out --element-bytes 1 --map 'i -> ~i' 2>"$stderr" &
    pid=$! least=100000000
    while kill -0 $pid 2>/dev/null; do
      free=$(stat -f -c '%a * %S' full)
      least=$((free < least ? free : least))
    done
    wait $pid
    check "no room: exit code" test $? = 3
    says "no room" "has no room"
    check "no room: nothing taken meanwhile" test $least -gt 8000000
  done
  only "no room" full ""
  umount full
fi

# elements without limit
exits "2^20 slots" 0 "$faro" plan 'a:10 | m:20 -> rot(a m, 7)' --on cube:10 --schedule turns.json
prints "2^20 slots" "proved for all 2^10 processors"
check "2^20 slots: a small file" test "$(stat -c %s turns.json)" -lt 10000000
exits "2^20 slots, judged" 0 "$faro" verify turns.json
exits "a million alike" 0 "$faro" plan 'a:10 -> ungray(a)' --on cube:10 --elements 1000000
prints "a million alike" "proved for all 2^10 processors"
for on in mesh:8x8 mesh:8x8,all-links pops:8,8 ranks:64; do
  exits "a million on $on" 0 "$faro" plan 'i:6 -> rev(i)' --on $on --elements 1000000
done

# outputs and inputs that are no files
exits "OUT is a pipe" 3 sh -c "{ '$faro' permute a.npy /dev/stdout --map identity; echo \$? >code; } | cat; exit \$(cat code)"
says "OUT is a pipe" "write to -"
exits "a stream without end" 3 sh -c "ulimit -v 1500000; exec '$faro' permute /dev/zero z.raw --element-bytes 1 --map identity"
says "a stream without end" "bytes that were read so far"
check "a stream without end: nothing made" test ! -e z.raw
exits "a benchmark that is a program of its own" 2 "$faro" bench --rounds 0
py "
head = b\"{'descr': [('a', '<i4'), ('a', '<i4')], 'fortran_order': False, 'shape': (4,), }\".ljust(117) + b'\\n'
open('twice.npy', 'wb').write(b'\\x93NUMPY\\x01\\x00' + len(head).to_bytes(2, 'little') + head + bytes(32))"
exits "two fields of one name" 2 "$faro" permute twice.npy o.npy --map 'i -> ~i'
says "two fields of one name" "a second field 'a'"

# a terminal: no line of progress stands before or in a line of the report
py "np.save('large.npy', np.arange(2**22))"
check "progress is gone before the report" "$python" -c "
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], [sys.argv[1], 'permute', 'large.npy', 'o.npy', '--map', 'i -> rev(i)', '--verify'])
said = b''
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    said += piece
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
lines = [line.rsplit(b'\\x1b[K', 1)[-1] for line in said.split(b'\\r\\n')]
good = [line for line in lines if line.startswith(b'o.npy: ')]
sys.exit(code or len(good) != 2 or any(b'%' in line for line in lines if b'o.npy' in line))" "$faro"

# two at once in place: the work of neither is lost, one may be told to wait
py "np.save('start.npy', np.arange(2**20))"
for round in 1 2 3 4 5 6; do
  cp start.npy both.npy
  "$faro" permute both.npy --in-place --map 'i -> ~i' >/dev/null 2>one.err & one=$!
  "$faro" permute both.npy --in-place --map 'i -> ~i' >/dev/null 2>two.err; second=$?
  wait $one; first=$?
  times=$(((first == 0) + (second == 0)))
  check "in place twice: exit codes $first, $second" test $((first + second)) = 3 -o $((first + second)) = 0
  if [ $((first + second)) = 3 ]; then check "in place twice: says why" grep -q "another process" one.err two.err; fi
  same "in place twice: $times times" both.npy "np.arange(2**20)[::(-1)**$times]"
done

# a pipe without an end is not read until memory ends
exits "a pipe without an end" 3 sh -c "ulimit -v 1500000; exec '$faro' permute /dev/zero b --element-bytes 1 --map identity"
says "a pipe without an end" "a file is mapped instead"

# the rest of what was found, once each
exits "links beyond their limit" 4 "$faro" plan 'i -> rev(i)' --on mesh:1024x1024,all-links
exits "explain of 20 bits" 0 "$faro" explain 'i:20 -> rev(i)'
exits "standard output as a file" 3 sh -c "'$faro' permute a.npy /dev/stdout --map identity | cat; exit \${PIPESTATUS:-3}"
says "standard output as a file" "write to - and redirect"
exits "another size" 2 "$faro" permute a.npy e.npy --map 'i:6 -> rev(i)'
says "another size" "a.npy, shape (16,), 2^4 elements"
py "h = b\"{'descr': [('a', '<i4'), ('a', '<i4')], 'fortran_order': False, 'shape': (4,), }\"
h += b' ' * (117 - len(h)) + b'\n'
open('fields.npy', 'wb').write(b'\x93NUMPY\x01\x00' + len(h).to_bytes(2, 'little') + h + bytes(32))"
exits "two fields of one name" 2 "$faro" permute fields.npy e.npy --map 'i -> ~i'
says "two fields of one name" "a second field 'a'"
printf '%s' '{"format":"faro-schedule/1","machine":{"kind":"hypercube","dimensions":1,"ports":"all"},"map":"p:1 -> p","elements":2,"slots":2,
"cost":{"steps":2},"bound":{"value":2,"reason":"Theorem: no schedule takes fewer"},
"steps":[{"moves":[[0,0,1,0],[1,0,0,0]]},{"moves":[[0,0,1,0],[1,0,0,0]]}]}' >lie.json
exits "a false bound" 1 "$faro" verify lie.json
prints "a false bound" "bound-claim"

# words that lead on: other numbers of devices, a shape, a file, a layout's bars, curves; and an array in work, whoever asks for it
cases <<'END'
0 :: plan 'xla:{devices=[1,4]<=[4]} => xla:{devices=[1,8]<=[8]}' --shape 1024x4096 --on ranks:8 :: 3670016 bytes
4 :: plan 'xla:{devices=[1,4]<=[4]} => xla:{devices=[1,8]<=[8]}' --shape 1024x4096 --on cube:3 :: faro plan --on ranks:8
2 :: explain numpy:a.T :: --shape
2 :: explain qasm:c.qasm :: qasm:@c.qasm
2 :: explain 'a:3||b:3' :: gray||gray
2 :: explain 'i:4 -> hilbert(i)' :: no affine map
END
mkdir .gone.npy.faro && touch .gone.npy.faro/array
for words in "digest gone.npy" "check gone.npy a.npy" "rechunk gone.npy gone.zarr --chunks 4" "explain --fit gone.npy" \
             "transform wht gone.npy w2.npy"; do
  exits "$words" 3 "$faro" $words; says "$words" "faro permute --resume gone.npy"
done

# what newcomers type: formats that are not written, lists in pieces, arithmetic, functions that are none, tables in words
py "np.arange(12, dtype='<f4').tofile('r.raw'); np.save('m.npy', np.arange(12).reshape(3, 4))"
mkdir g.zarr
printf '{"zarr_format": 3, "node_type": "group", "attributes": {}}' >g.zarr/zarr.json
printf '3 1 2 0' >to.txt
cases <<'END'
2 :: rechunk m.npy m.h5 --chunks 2 :: .h5 is the ending of another format
2 :: rechunk m.npy m.npz :: .npz is the ending of another format
3 :: rechunk s3://bucket/m.zarr m.zarr --chunks 2 :: no address is read
2 :: check g.zarr m.npy :: GROUP/ARRAY
2 :: rechunk r.raw r.zarr --chunks 3 :: --dtype float32
4 :: rechunk r.raw r.zarr --chunks 3 --dtype f4 --shape 12 :: <f4
0 :: rechunk r.raw r.zarr --chunks 3 --dtype '<f4' --shape 12 :: 48 bytes
2 :: rechunk m.npy p.zarr --chunks 2 4 :: --chunks 2,4
2 :: rechunk m.npy --resume :: say them again
0 :: rechunk m.npy q.zarr --chunks 2
2 :: permute q.zarr t.zarr --map 'r c -> c r' :: faro rechunk IN OUT --map
2 :: explain 'i:3 -> i + 1' :: roll(i, 1)
2 :: explain 'i:4 -> cnot(i, 0, 1)' :: there is no function 'cnot'
4 :: explain random:4 :: no fixed map
2 :: plan --destinations to.txt --on cube:2 :: numpy.save
2 :: plan 'block => cyclic' --on ranks:12 :: Placements take any number
END
mkdir -p h.zarr && cp g.zarr/zarr.json h.zarr/ && "$faro" rechunk m.npy h.zarr/a --chunks 2 2>/dev/null && "$faro" rechunk r.raw h.zarr/b --chunks 2 --dtype float32 --shape 12 2>/dev/null
exits "lengths that do not fit one of a group" 2 "$faro" rechunk h.zarr n.zarr --chunks 3,4; says "which" "h.zarr/b:"
check "nothing was begun" test ! -e n.zarr

# Loops of a billion laps that are wrong in one of them. "exits NAME CODE", then what is said of where.
looped() { # NAME.json MORE_ENTRIES [LAPS]
  printf '%s' '{"format":"faro-schedule/2","machine":{"kind":"hypercube","dimensions":2,"ports":"all"},"map":"i:2 -> ~i",
"elements":1000000000,"slots":1000000001,"steps":[{"rules":[{"if":[],"slot":0,"across":0,"to":1000000000}]},
{"loop":{"laps":'"${3:-999999999}"',"body":[{"rules":[{"if":[],"slot":1000000000,"across":1,"to":0,"advance":[0,1]},
{"if":[],"slot":1,"across":0,"to":1000000000,"advance":[1,0]}]}]}},
{"rules":[{"if":[],"slot":1000000000,"across":1,"to":999999999}]}'"$2"']}' >"$1.json"
}
looped right ''
looped there_and_back ',{"loop":{"laps":1000000000,"body":[{"rules":[{"if":[],"slot":0,"to":1000000000,"advance":[1,0]}]},{"rules":[{"if":[],"slot":1000000000,"to":0,"advance":[0,1]}]}]}}'
looped collides ',{"loop":{"laps":1000000000,"body":[{"rules":[{"if":[],"slot":0,"to":0,"advance":[1,1]},{"if":[["0x1",1]],"slot":700000000,"to":700000000}]}]}}'
looped beyond ',{"loop":{"laps":1000000002,"body":[{"rules":[{"if":[],"slot":0,"to":0,"advance":[1,1]}]}]}}'
looped too_few '' 999999998
looped overwritten ',{"rules":[{"if":[["0x1",0],["0x2",0]],"slot":700000000,"to":700000001}]}'
for right in right there_and_back; do
  exits "a billion laps, $right" 0 "$faro" verify $right.json
done
while read -r name where; do
  exits "a billion laps, $name" 1 "$faro" verify "$name.json"; prints "$name" "$where"
done <<'END'
collides step 1700000001: two-writes
beyond step 2000000002: slot-range
too_few step 1000000000: not-delivered
overwritten step 1000000002: not-delivered
END
