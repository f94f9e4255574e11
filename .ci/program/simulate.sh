# faro simulate gives what faro permute gives, on every machine; what is refused.
py "
np.save('a.npy', np.arange(64, dtype='<f8'))
np.save('b.npy', np.arange(256, dtype='>i4').reshape(16, 16))
np.save('f.npy', np.asfortranarray(np.arange(192, dtype='<u2').reshape(64, 3)))
np.save('s.npy', np.array([(i, i * 1.5) for i in range(64)], dtype=[('x', '>i2'), ('y', '<f8')]))
"
# alike NAME IN AXIS-ARGUMENTS MAP MACHINE: one element a processor, or K that move alike
alike() {
  local name="$1 on $4"
  exits "$name" 0 "$faro" simulate "$2" sim.npy --map "$3" --on "$4"
  # shellcheck disable=SC2086
  exits "$name" 0 "$faro" permute "$2" per.npy --map "$3" $5
  check "$name: same array as permute" cmp -s sim.npy per.npy
  rm -f sim.npy per.npy
}
for machine in cube:6 cube:6,one-port mesh:8x8 torus:8x8 mesh:4x4x4 mesh:8x8,propagating pops:8,8; do
  for map in 'i -> rev(i)' 'i -> ~i' 'a:3 b:3 -> b a'; do
    alike "one element, $map" a.npy "$map" $machine ""
  done
done
if "$faro" algorithms | grep -q 'all links'; then
  for machine in mesh:8x8,all-links torus:8x8,all-links; do
    alike "one element" a.npy 'i -> rev(i)' $machine ""
  done
fi
alike "affine" a.npy 'i -> gray(rev(i)) ^ 0x5' cube:6 ""
alike "affine" a.npy 'i -> gray(i)' mesh:8x8 ""
alike "affine" a.npy 'i -> gray(i)' pops:8,8 ""
alike "structured" s.npy 'i -> gray(i)' cube:6 ""
for machine in cube:4 mesh:4x4 torus:4x4 pops:4,4; do
  alike "16 elements each" b.npy 'i -> rev(i)' $machine "--axis 0"
done
alike "3 elements each, Fortran order" f.npy 'i -> ungray(i)' cube:6 "--axis 0"
alike "a bare side" a.npy '~i' cube:6 ""
alike "another system's words" b.npy 'xla:{devices=[2,4]<=[8]} => xla:{devices=[8,1]<=[8]}' cube:3 ""
alike "memory bits move" b.npy 'p:4 | m:4 -> m | p' cube:4 ""

"$faro" plan 'i -> gray(i)' --on cube:6 --schedule plan.json >/dev/null 2>&1
exits "a schedule" 0 "$faro" simulate a.npy sim.npy --schedule plan.json
exits "a schedule" 0 "$faro" permute a.npy per.npy --map 'i -> gray(i)'
check "a schedule: same array as permute" cmp -s sim.npy per.npy
exits "a schedule from a pipe" 0 sh -c "cat plan.json | '$faro' simulate a.npy sim.npy --schedule - --on cube:6"
check "a schedule from a pipe" cmp -s sim.npy per.npy
exits "the array to a pipe" 0 sh -c "'$faro' simulate a.npy - --schedule plan.json >sim2.npy"
check "the array to a pipe" cmp -s sim2.npy per.npy
rm -f sim.npy
exits "another goal" 1 "$faro" simulate a.npy sim.npy --schedule plan.json --map 'i -> ungray(i)'
sed 's/"across": *0/"across": 1/' plan.json >broken.json
exits "a broken schedule" 1 "$faro" simulate a.npy sim.npy --schedule broken.json
says "a broken schedule" "not right"
exits "another machine" 2 "$faro" simulate a.npy sim.npy --schedule plan.json --on cube:5
exits "an array that does not fit" 2 "$faro" simulate b.npy sim.npy --schedule plan.json
exits "an array that does not fill the machine" 2 "$faro" simulate a.npy sim.npy --map 'i -> ~i' --on cube:7
exits "no map" 2 "$faro" simulate a.npy sim.npy --on cube:6
exits "no machine" 2 "$faro" simulate a.npy sim.npy --map gray
exits "no schedule" 3 "$faro" simulate a.npy sim.npy --schedule missing.json
printf 'not json' >text.json
exits "no schedule but a text" 2 "$faro" simulate a.npy sim.npy --schedule text.json
exits "a layout" 2 "$faro" simulate a.npy sim.npy --map 'cyclic:3|3' --on cube:3
check "refusals leave no file" test ! -e sim.npy
