# faro rechunk, digest and check: what each exit code says, and that a refusal leaves nothing behind.
py "
a = np.arange(7 * 10 * 9, dtype='<i4').reshape(7, 10, 9)
np.save('a.npy', a)
a.tofile('a.raw')
np.save('short.npy', a[:6])
a[3, 4, 5] = -1
np.save('b.npy', a)
"
# CODE and WORDS of stderr for each command line
while IFS='|' read -r code words line; do
  read -ra arguments <<<"$line"
  exits "$line" "$code" "$faro" "${arguments[@]}"
  if [ -n "$words" ]; then says "$line" "$words"; fi
done <<'END'
0||rechunk a.npy a.zarr --chunks 3,4,5 --memory 64MiB --verify
0||rechunk a.raw raw.zarr --dtype int32 --shape 7x10x9 --chunks all,all,1 --memory 64MiB
0||rechunk a.npy only-planned.zarr --chunks 2 --memory 64MiB --plan
2|is there already|rechunk a.npy a.zarr --chunks 3,4,5 --memory 64MiB
2|2 lengths, and the array has 3 axes|rechunk a.npy x.zarr --chunks 3,4
2|wanted IN and OUT|rechunk a.npy
2|there is no unfinished run|rechunk a.npy x.zarr --resume
2|one of them|rechunk a.npy x.zarr --resume --fresh
2|there is no codec 'lzma'|rechunk a.npy x.zarr --codec lzma
2|wanted 1, 2 or 3|rechunk a.npy x.zarr --passes 4
0||rechunk a.npy two.zarr --zarr-format 2 --chunks 3,4,5 --codec gzip --memory 64MiB --verify
0||check a.npy two.zarr
2|wanted 2 or 3|rechunk a.npy x.zarr --zarr-format 1
2|and a plain file has none|rechunk a.npy x.npy --zarr-format 2
2|wanted 1 to 1024|rechunk a.npy x.zarr --threads 0
2|numbered from 0|rechunk a.npy x.zarr --worker 4/4
2|wanted I/N|rechunk a.npy x.zarr --worker x
2|no worker has the whole|rechunk a.npy x.zarr --worker 0/2 --verify
2|wanted an amount|rechunk a.npy x.zarr --memory abc
2|is one array, and no group|rechunk a.npy x.zarr --only y
2|does not say what it holds|rechunk a.raw x.zarr
3|there is no such file|rechunk gone.npy x.zarr
4|51380224 bytes do|rechunk a.npy x.zarr --chunks 3,4,5 --memory 1MiB
0||check a.npy a.zarr --memory 64MiB
0||check a.raw raw.zarr --dtype int32 --shape 7x10x9
1||check a.npy b.npy
1|the shapes differ|check a.npy short.npy
2|B is required|check a.npy
3|there is no such file|check a.npy gone.npy
4||check a.npy a.zarr --memory 1MiB
0||digest a.npy a.zarr raw.zarr --memory 64MiB
2|A is required|digest
2|does not say what it holds|digest a.npy a.raw
3|gone: there is no such file|digest a.npy gone
4|does not hold one chunk|digest a.zarr --memory 1MiB
4|does not hold one chunk|digest a.npy --memory 1MiB
END
check "what was refused or planned is not there" sh -c '! ls -d x.zarr only-planned.zarr .*.faro 2>/dev/null'
check "version 2 is written" test -e two.zarr/.zarray -a ! -e two.zarr/zarr.json
exits "several files" 0 "$faro" digest a.npy b.npy a.zarr raw.zarr
check "a line for each, equal for equal arrays" py "
lines = [line.split() for line in open('$stdout')]
assert [line[3] for line in lines] == ['a.npy', 'b.npy', 'a.zarr', 'raw.zarr'], lines
digests = [line[0] for line in lines]
assert digests[0] == digests[2] == digests[3] != digests[1], digests"
exits "one of them is gone" 3 "$faro" digest gone a.npy b.npy
check "the others have their lines" test "$(wc -l <"$stdout")" = 2
exits "one file" 0 "$faro" digest a.npy
check "one file has its digest, type and shape" test "$(wc -w <"$stdout")" = 3
exits "where they differ" 1 "$faro" check a.zarr b.npy --json
check "the first difference" py "
import json
r = json.load(open('$stdout'))
assert not r['equal'] and r['different'] in (1, '1') and r['first'] == [3, 4, 5] and r['chunk_a'] == [1, 1, 1], r"
# A chunk that is damaged: nothing decodes it, and nothing is made of it.
exits "compressed" 0 "$faro" rechunk a.npy packed.zarr --chunks 3,4,5 --codec gzip --memory 64MiB
chunk=$(find packed.zarr -type f ! -name '*.json' ! -name '.z*' | sort | head -1)
printf x >"$chunk"
for line in "digest packed.zarr" "check packed.zarr a.npy" "rechunk packed.zarr x.zarr --memory 64MiB"; do
  read -ra arguments <<<"$line"
  exits "a damaged chunk: $line" 3 "$faro" "${arguments[@]}"
  says "a damaged chunk: $line" "${chunk##*/}"
done
check "nothing has the name" test ! -e x.zarr
