# faro matmul and faro broadcast: NumPy's product, types as NumPy promotes them, refusals.
py "
rng = np.random.default_rng(1)
for n in (6, 12):
    np.save('a%d.npy' % n, rng.standard_normal((n, n)))
    np.save('b%d.npy' % n, rng.standard_normal((n, n)))
np.save('i.npy', rng.integers(-2**31, 2**31, (6, 6), dtype='<i4'))
np.save('u.npy', np.asfortranarray(rng.integers(0, 2**16, (6, 6)).astype('>u2')))
np.save('t.npy', rng.integers(0, 2, (6, 6)).astype(bool))
np.save('h.npy', rng.integers(-8, 8, (6, 6)).astype('f2'))
np.save('wide.npy', rng.standard_normal((3, 4)))
np.save('tall.npy', np.asfortranarray(rng.standard_normal((4, 5))))
np.save('c.npy', np.ones((6, 6), dtype=complex))"
for on in pops:1,144 pops:4,36 pops:12,12 pops:24,6 pops:72,2 pops:144,1; do
  exits "matmul on $on" 0 "$faro" matmul a12.npy b12.npy c12.npy --on "$on"
  prints "matmul on $on" "by replay on integers and reals: yes"
  check "product on $on" py "sys.exit(not np.allclose(np.load('c12.npy'), np.load('a12.npy') @ np.load('b12.npy'), rtol=0, atol=1e-12))"
done
for pair in "i i" "i u" "u u" "t t" "t u" "h h" "h t"; do
  set -- $pair
  exits "matmul of $1 and $2" 0 "$faro" matmul "$1.npy" "$2.npy" out.npy --on pops:6,6
  same "matmul of $1 and $2" out.npy "np.load('$1.npy') @ np.load('$2.npy')"
done
exits "matmul by the paper" 0 "$faro" matmul a6.npy b6.npy p.npy --on pops:12,3 --algorithm paper
prints "matmul by the paper" "slots       24"
exits "matmul of another order" 4 "$faro" matmul a6.npy b6.npy no.npy --on pops:5,7
says "matmul of another order" "pops:6,6"
exits "matmul of sides that do not meet" 4 "$faro" matmul wide.npy wide.npy no.npy --on pops:4,4
says "matmul of sides that do not meet" "r x s and s x c"
exits "matmul of oblong matrices" 0 "$faro" matmul wide.npy tall.npy o.npy --on pops:7,4 --schedule o.json
prints "matmul of oblong matrices" "5x5 on pops:7,4"
check "product of oblong matrices" py "sys.exit(not np.allclose(np.load('o.npy'), np.load('wide.npy') @ np.load('tall.npy'), rtol=0, atol=1e-12))"
exits "schedule of oblong matrices" 0 "$faro" verify o.json
exits "matmul of complex numbers" 2 "$faro" matmul c.npy c.npy no.npy --on pops:6,6
exits "matmul on a cube" 2 "$faro" matmul a6.npy b6.npy no.npy --on cube:4
check "nothing is written by refusals" test ! -e no.npy
exits "broadcast" 0 "$faro" broadcast all-to-all --on pops:4,3 --schedule all.json
prints "broadcast" "slots     11   n-1"
exits "broadcast verified" 0 "$faro" verify all.json
exits "broadcast by multi-receive" 0 "$faro" broadcast all-to-all --on pops:4,3,multi-receive
prints "broadcast by multi-receive" "slots     4   d"
exits "broadcast from nowhere" 2 "$faro" broadcast one-to-all --on pops:4,3 --root 12
