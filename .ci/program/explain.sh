# faro explain
exits "explain" 0 "$faro" explain 'r:3 c:2 -> gray(c) rev(r)'
prints "explain" "class"; prints "explain" "canonical"; prints "explain" "inverse"; prints "explain" "index 1"
silent "explain" stderr
check "no colour in a pipe" bash -c "! grep -q \$'\\033' '$stdout'"
exits "a map that is not invertible" 2 "$faro" explain 'r:3 c:2 -> r r'
says "singular" "r:3 c:2 -> r r"
check "a caret below the column" grep -qE '^ +\^' "$stderr"
silent "singular" stdout
exits "a syntax error" 2 "$faro" explain 'i:4 -> rev(i'
exits "tornado" 4 "$faro" explain tornado:4
exits "too wide" 4 "$faro" explain 'i:65 -> i'
exits "a width given" 0 "$faro" explain bit-reversal --width 10
exits "a width missing" 2 "$faro" explain bit-reversal
exits "a width of 65" 4 "$faro" explain bit-reversal --width 65
exits "a vector, which begins with [" 0 "$faro" explain '[-0, 3, -1, -2]' --json
check "vector class" grep -qF '"class": "bpc"' "$stdout"
for width in 0 1 2 16 17 63 64; do
  for map in "i:$width -> i" "i:$width -> rev(i)" "i:$width -> gray(~i)"; do
    exits "$map" 0 "$faro" explain "$map"
    exits "$map --json" 0 "$faro" explain "$map" --json
  done
done
# canonical text explains to itself; the inverse of the inverse is the map
for map in 'r:3 c:2 -> gray(c) rev(r)' '[-0, 3, -1, -2]' 'a:3 | m:2 -> ungray(a) | ~m' 'cyclic:2|3 => consecutive' 'transpose:6'; do
  canonical=$("$faro" explain "$map" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["canonical"])')
  again=$("$faro" explain "$canonical" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["canonical"])')
  check "canonical text of $map" test "$canonical" = "$again"
  inverse=$("$faro" explain "$map" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["inverse"])')
  back=$("$faro" explain "$inverse" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["inverse"])')
  check "inverse of the inverse of $map" test "$canonical" = "$back"
done
# colour on a terminal, unless NO_COLOR
if command -v script >/dev/null; then
  check "colour on a terminal" bash -c "TERM=xterm script -qec \"'$faro' explain gray:3\" /dev/null </dev/null | grep -q \$'\\033\\['"
  check "NO_COLOR" bash -c "! NO_COLOR=1 TERM=xterm script -qec \"'$faro' explain gray:3\" /dev/null </dev/null | grep -q \$'\\033\\['"
fi

# the words of other systems
exits "xla" 0 "$faro" explain 'xla:{devices=[2,1,4]<=[4,2]T(1,0)}' --shape 16x16x16
prints "xla" "a:4 b:4 c:4"
exits "a swizzle" 0 "$faro" explain 'cute:Swizzle<3,4,3>'
{ echo 'OPENQASM 2.0; include "qelib1.inc"; qreg q[3];'; for k in {1..4000}; do echo 'cx q[0],q[1];'; done; echo 'x q[2];'; } >long.qasm
exits "a circuit in a file" 0 "$faro" explain qasm:@long.qasm; prints "a circuit in a file" "i:3 -> i ^ 0x4"
printf 'qasm:' | cat - long.qasm >map.txt
exits "a map in a file" 0 "$faro" explain @map.txt; prints "a map in a file" "i:3 -> i ^ 0x4"
exits "no such file of a map" 3 "$faro" explain qasm:@nosuch.qasm; says "no such file of a map" "nosuch.qasm"
head -c 1048577 /dev/zero | tr '\0' ' ' >blank.qasm
exits "a file that is too long" 4 "$faro" explain qasm:@blank.qasm; says "a file that is too long" "1048576"
printf 'OPENQASM 2.0; include "\x1b[31m"; qreg q[1]; x q[0];' >red.qasm
exits "a circuit with colours" 0 "$faro" explain qasm:@red.qasm; check "no colour comes through" sh -c "! grep -q \$(printf '\\033') '$stdout'"
exits "a circuit without qubits" 2 "$faro" explain 'qasm:OPENQASM 3;'; says "a circuit without qubits" "no register of qubits"
exits "a shape missing" 2 "$faro" explain 'xla:{devices=[2,1,4]<=[4,2]T(1,0)}'; says "shape" "needs the shape"
exits "uneven" 4 "$faro" explain 'dtensor:(4,) [Shard(0)]' --shape 10; says "uneven" "3, 3, 3, 1"
exits "copies" 0 "$faro" explain "jax:mesh x=2 y=2, P('x')" --shape 16; prints "copies" "2 of every element"
exits "a move of copies" 0 "$faro" explain "jax:mesh x=2 y=2, P('x') => jax:mesh x=2 y=2, P(('x', 'y'))" --shape 16
prints "a move of copies" "16 elements are on their device"
py "np.save('table.npy', np.array([0, 2, 4, 6, 1, 3, 5, 7])); np.save('none.npy', np.array([0, 1, 2, 3, 4, 5, 7, 6]))"
exits "fit" 0 "$faro" explain --fit table.npy; prints "fit" "rot(i, 1)"
exits "no fit" 4 "$faro" explain --fit none.npy; says "no fit" "index 6 goes to 7; the images of 0, 2 and 4 say 6"
exits "a map and --fit" 2 "$faro" explain gray:3 --fit table.npy
exits "neither" 2 "$faro" explain; says "neither" "MAP"

# faro export
exits "export" 0 "$faro" export 'r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0]' --to jax --shape 8x8
prints "export" "mesh a=4 b=2, P('b', 'a')"
exits "export a swizzle" 0 "$faro" export 'i:9 -> i[8:6] i[8:6]^i[5:3] i[2:0]' --to cute; prints "export a swizzle" "Swizzle<3,3,3>"
exits "a complement to triton" 4 "$faro" export 'i:3 -> ~i' --to triton; says "complement" "L(0) = 0"
exits "no such system" 2 "$faro" export gray:3 --to nosuch

# at every width with little work, with wires where bits change places
for map in 'i:20 -> rev(i)' 'i:19 -> ungray(i)' 'i:21 -> gray(i)' 'i:21 -> ~i' 'i:22 -> front(i, 3)' 'block:4|16 => cyclic' 'i:24 -> front(i, 20, 17, 3)'; do
  exits "$map" 0 "$faro" explain "$map"
  prints "$map" "by machine"
  instructions_below "$map" 1600 "$faro" explain "$map"
done
prints "24 wires" "old index  i23 i22"
exits "words, not a matrix" 0 "$faro" explain sequency:9; prints "words, not a matrix" "canonical  i:9 -> ungray(rev(i))"
# axes of any length
exits "lengths" 0 "$faro" explain 'r=100 b:8 c=64 -> c rev(b) r'
prints "lengths" "(100, 256, 64) becomes (64, 256, 100)"; prints "lengths" "1 = (0, 0, 1)   goes to   25600 = (1, 0, 0)"
exits "lengths from a shape" 0 "$faro" explain 'r c -> c ~r' --shape 6001x3
prints "lengths from a shape" "backwards"
exits "lengths have no picture" 2 "$faro" explain 'r=3 c=5 -> c r' --export x.svg
exits "a length lost" 2 "$faro" explain 'r=3 c=5 -> c'
