# What is said to whoever types something else than what is meant, or meets a limit.
cases <<'END'
2 :: permute a.npy b.npy --mpa gray :: did you mean '--map'?
2 :: convert s.json --to perfetto -o t.json :: '-o' is no option of convert, which takes IN OUT
2 :: plan 'i:4 -> rev(i)' --on cube:4 --algorithm '' :: --algorithm: its value is empty
0 :: plan 'i:6 -> rev(i)' --on ' CUBE:6 ' :: cube:6, 1 element
2 :: plan 'i:3 -> rev(i)' --on mesh:2,4 :: as in 2x4
2 :: plan 'i:4 -> rev(i)' --on cub:4 :: for a plan of data in memory or in files 'memory' or 'disk:'
2 :: gpu bench 'i:3 -> rev(i)' --element 0 :: elements of 0 bytes: wanted 1 to 64
4 :: explain hilbert:4 :: hilbert turns its parts: no affine map
0 :: plan 'cyclic:10|20 => consecutive' --on cube:10 :: moves of one turn
END
exits "a schedule in turns" 0 "$faro" plan 'cyclic:4|20 => consecutive' --on cube:4 --schedule turns.json
exits "turns are told" 0 "$faro" verify turns.json; prints "turns are told" "256, all alike: one was carried out"
py "np.save('hilbert.npy', np.array([0, 1, 3, 2, 14, 15, 13, 12, 4, 7, 5, 6, 8, 11, 9, 10]))"
cases <<'END'
4 :: explain --fit hilbert.npy :: hilbert.npy: no affine map over the bits of an index
END

# a name with a line in it keeps to its line
py "np.save('a.npy', np.arange(16)); np.save('e.npy', np.zeros((3, 0), 'u2'))"
exits "a name of two lines" 0 "$faro" permute a.npy $'two\nlines.npy' --map '~i'
says "a name of two lines" 'two\nlines.npy: 16 elements'
exits "a missing name of two lines" 3 "$faro" permute $'no\nlines.npy' b.npy --map '~i'
says "a missing name of two lines" 'no\nlines.npy: cannot open'

# arrays without elements have a shape all the same
for words in '~i' 'i -> rev(i)' 'r c -> r c' 'numpy:a[::-1]'; do
  exits "no elements by $words" 0 "$faro" permute e.npy o.npy --map "$words"
  same "no elements by $words" o.npy "np.zeros((3, 0), 'u2')"
done
exits "no elements, transposed" 0 "$faro" permute e.npy o.npy --map 'r c -> c r'
same "no elements, transposed" o.npy "np.zeros((0, 3), 'u2')"
exits "no elements, by axes" 0 "$faro" permute e.npy o.npy --axes 1,0
same "no elements, by axes" o.npy "np.zeros((0, 3), 'u2')"
exits "no elements, in place" 0 "$faro" permute e.npy --in-place --map '~i'
exits "no elements, words that do not fit" 2 "$faro" permute e.npy o.npy --map 'r=4 c=5 -> c r'; says "no elements, words" "fit no array of shape"

# claims behind the steps are not read, and that is said
"$faro" plan 'i:3 -> rev(i)' --on cube:3 --schedule s.json >/dev/null
"$python" -c "
import json
s = json.load(open('s.json'))
for key in ('planner', 'cost', 'bound'): s[key] = s.pop(key)
json.dump(s, open('late.json', 'w'))"
exits "claims behind the steps" 0 "$faro" verify late.json
says "claims behind the steps" "key 'cost' comes after the steps"

# what cannot be drawn is refused before anything is judged: this schedule is wrong, too
"$python" -c "
s = open('s.json').read()
head, steps = s.split('\"steps\":[', 1)
open('long.json', 'w').write(head + '\"steps\":[' + ','.join(['{\"rules\":[{\"if\":[],\"slot\":0,\"across\":0,\"to\":0}]}'] * 70000) + ']}')"
exits "too long to draw" 4 "$faro" convert long.json long.svg
says "too long to draw" "too long to draw"

# a transform that names no machine hears nothing of one
exits "a transform" 0 "$faro" transform sort a.npy b.npy
check "a transform" sh -c "! grep -q 'bound\|cube' '$stdout'"

# C that a compiler takes without a word
"$faro" plan 'i:4 -> rev(i)' --on cube:4 --export x.c >/dev/null
check "C without a warning" sh -c "cc -std=c99 -Wall -Wextra -Werror -c x.c -o x.o"
