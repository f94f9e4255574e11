# faro reshard: what each exit code says, that a refusal leaves nothing behind, and that the cap holds.
py "
import json, os
def write(path, tensors):
    header, data = {}, b''
    for name, a in tensors.items():
        header[name] = {'dtype': 'F32', 'shape': list(a.shape), 'data_offsets': [len(data), len(data) + a.nbytes]}
        data += a.tobytes()
    text = json.dumps(header).encode()
    open(path, 'wb').write(len(text).to_bytes(8, 'little') + text + data)
os.mkdir('whole')
p = 'model.layers.0.'
write('whole/model.safetensors', {
    p + 'mlp.up_proj.weight': np.arange(24 * 10, dtype='<f4').reshape(24, 10),
    p + 'mlp.down_proj.weight': np.arange(10 * 24, dtype='<f4').reshape(10, 24),
    p + 'self_attn.k_proj.weight': np.arange(80, dtype='<f4').reshape(8, 10),
    'model.norm.weight': np.arange(10, dtype='<f4')})
os.mkdir('large')
write('large/model.safetensors', {p + 'mlp.up_proj.weight': np.arange(100000, dtype='<f4').reshape(1000, 100)})
write('odd.safetensors', {'x.y': np.arange(4, dtype='<f4')})
open('torn.safetensors', 'wb').write(open('whole/model.safetensors', 'rb').read()[:-1])
"
touch afile; mkfifo apipe
# A share of the ranks each; the last one may come first, and twice.
share=(reshard whole shared --to llama:tp=4,heads=8,kv_heads=2 --memory 64MiB --jobs 1)
exits "worker 1 of 2" 0 "$faro" "${share[@]}" --worker 1/2
prints "worker 1 of 2" "written by this worker; worker 0 compares"
exits "worker 1 of 2 again" 0 "$faro" "${share[@]}" --worker 1/2
prints "worker 1 of 2 again" "2 jobs done before"
# CODE and WORDS of stderr for each command line
while IFS='|' read -r code words line; do
  read -ra arguments <<<"$line"
  exits "$line" "$code" "$faro" "${arguments[@]}"
  if [ -n "$words" ]; then says "$line" "$words"; fi
done <<'END'
0||reshard whole tp4 --to llama:tp=4,heads=8,kv_heads=2 --memory 64MiB --verify
0||reshard tp4 tp2 --from llama:tp=4,heads=8,kv_heads=2 --to llama:tp=2 --memory 64MiB --jobs 1
0||reshard tp2 back --from llama:tp=2,kv_heads=2 --memory 64MiB
0||reshard whole nothing --to llama:tp=4 --memory 64MiB --plan
0||reshard whole --to llama:tp=4 --memory 64MiB --explain
2|is there already|reshard whole tp4 --to llama:tp=2 --memory 64MiB
2|do not divide into 5 (rule 'shard 1')|reshard whole x --to llama:tp=5 --memory 64MiB
2|2 heads do not divide over tp=3|reshard whole x --to llama:tp=3,kv_heads=2 --memory 64MiB
2|has no rule for this name|reshard odd.safetensors x --to llama:tp=2 --memory 64MiB
2|no layout is called 'lama'|reshard whole x --to lama:tp=2 --memory 64MiB
2|model-rank-0-part-0.safetensors is missing|reshard whole x --from llama:tp=2 --memory 64MiB
2|is of rank 2|reshard tp4 x --from llama:tp=2 --memory 64MiB
2|cut short|reshard torn.safetensors x --memory 64MiB
2|wanted IN and OUT|reshard whole --to llama:tp=2
2|one of them|reshard whole x --resume --fresh
2|nothing is unfinished|reshard whole x --to llama:tp=2 --memory 64MiB --resume
2|wanted 1 to 1024|reshard whole x --jobs 0
2|wanted a file name with {rank}|reshard tp4 x --from llama:tp=4 --from-names model.safetensors --memory 64MiB
2|wanted a file name with {rank}|reshard whole x --to llama:tp=2 --names model.safetensors --memory 64MiB
2|wanted a file name with {rank}|reshard whole x --to llama:tp=2 --names r{rank}{part}.safetensors --memory 64MiB
2|wanted a file name with {rank}|reshard whole x --to llama:tp=2 --names ../{rank}.safetensors --memory 64MiB
0||reshard whole named --to llama:tp=2 --names {rank}.safetensors --memory 64MiB
0||reshard named renamed --from llama:tp=2 --from-names {rank}.safetensors --memory 64MiB
2|another request|reshard whole shared --to llama:tp=2 --memory 64MiB --jobs 1 --worker 1/2
2|say --memory and --jobs|reshard whole shared --to llama:tp=4 --worker 1/2
2|wanted I/N|reshard whole shared --to llama:tp=4 --memory 64MiB --jobs 1 --worker 2
2|numbered from 0|reshard whole shared --to llama:tp=4 --memory 64MiB --jobs 1 --worker 2/2
2|goes on by itself|reshard whole shared --to llama:tp=4 --memory 64MiB --jobs 1 --worker 0/2 --resume
2|and no folder|reshard whole afile --to llama:tp=2 --memory 64MiB
2|is no regular file|reshard apipe x --to llama:tp=2 --memory 64MiB
2|is no regular file|reshard whole x --to ./apipe:tp=2 --memory 64MiB
2|is no text|reshard whole x --to ./whole/model.safetensors:tp=2 --memory 64MiB
3|No such file|reshard gone.safetensors x --memory 64MiB
4|does not suffice|reshard whole x --to llama:tp=2 --memory 1MiB
END
exits "worker 0 of 2" 0 "$faro" "${share[@]}" --worker 0/2 --verify
prints "worker 0 of 2" "4 files"
check "workers make what one process makes" diff -r shared tp4
check "workers leave nothing else" test ! -e .shared.faro-shared
check "the way back has the same digests" cmp back/faro-digests.json tp4/faro-digests.json
check "a refusal leaves nothing behind" sh -c "! ls -d x .x.faro nothing .nothing.faro 2>/dev/null | grep ."
# A disk that is full: refused before anything is made, and by a worker's file that does not fit.
if mkdir tiny && mount -t tmpfs -o size=64k none tiny 2>/dev/null; then
  exits "a full disk" 3 "$faro" reshard large tiny/out --to llama:tp=2 --memory 64MiB
  says "a full disk" "the disk has"
  exits "a full disk of workers" 3 "$faro" reshard large tiny/out --to llama:tp=2 --memory 64MiB --jobs 1 --worker 0/1
  says "a full disk of workers" "the disk has"
  check "a full disk has no output" test ! -e tiny/out
  umount tiny
  mount -t tmpfs -o size=1m none tiny
  # It fills up while the work stands still, and is made free.
  "$faro" reshard large tiny/out --to llama:tp=2 --memory 64MiB --jobs 1 --worker 1/2 >/dev/null 2>&1
  head -c 700k /dev/zero >tiny/filled 2>/dev/null
  exits "a disk that fills up" 3 "$faro" reshard large tiny/out --to llama:tp=2 --memory 64MiB --jobs 1 --worker 0/2
  check "a disk that fills up has no output" test ! -e tiny/out
  rm tiny/filled
  exits "a disk that is free again" 0 "$faro" reshard large tiny/out --to llama:tp=2 --memory 64MiB --jobs 1 --worker 0/2 --verify
  check "a disk that is free again" test -e tiny/out/faro-digests.json
  umount tiny
fi
