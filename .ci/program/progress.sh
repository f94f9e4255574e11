# Planning says that it goes on, hears one signal within a second, and leaves a clean line behind:
# seen as on a terminal, by a pseudo-terminal that standard error is.
cat >hearing.py <<'X'
import os, pty, re, select, signal, subprocess, sys, time

def run(words, stop_after):
    """Standard error as a terminal sees it, the longest silence, and what came after the signal."""
    terminal, end = pty.openpty()
    began = last = time.monotonic()
    program = subprocess.Popen(words, stdout=end, stderr=end, stdin=subprocess.DEVNULL)
    os.close(end)
    text, silence, sent = b'', 0.0, None
    while True:
        if sent is None and stop_after is not None and time.monotonic() - began > stop_after:
            program.send_signal(signal.SIGINT)
            sent = time.monotonic()
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                break
            if not more:
                break
            text += more
            silence, last = max(silence, time.monotonic() - last), time.monotonic()
    program.wait()
    ended = time.monotonic()
    return text, max(silence, ended - last), program.returncode, ended - sent if sent else None

def screen(text):
    """The lines as they stand in the end."""
    lines = []
    for line in text.decode().replace('\r\n', '\n').split('\n'):
        lines.append(line.rsplit('\x1b[K', 1)[-1] if '\x1b[K' in line else line)
    return lines

def fail(*what):
    print(*what)
    sys.exit(1)

# stopped LABEL: a signal after 1.5 s is heard; moving LABEL: one after 5 s, and the share grows
mode, label, words = sys.argv[1], sys.argv[2], sys.argv[3:]
if mode != 'whole':
    text, silence, code, late = run(words, 5 if mode == 'moving' else 1.5)
    if late is None:
        fail('it ended by itself before the signal')
    if code != 130 or late > 1.0:
        fail(f'exit code {code}, {late:.2f} s after the signal')
    if silence > 3 or label.encode() not in text:
        fail(f'{silence:.1f} s without a word')
    if b'faro: interrupted' not in text:
        fail('it does not say that it was interrupted')
    if mode == 'moving' and len(set(re.findall(rb'(\d+)%', text))) < 3:
        fail('the share does not grow:', text)
else:
    text, _, code, _ = run(words, None)
    if code != 0 or b'\x1b[K' not in text:
        fail(f'exit code {code}, {len(text)} bytes')
if any(label in line for line in screen(text)):
    fail('a progress line is left:', screen(text))
X
"$python" - <<'X'
import numpy as np
np.save('to.npy', np.random.default_rng(7).permutation(2**16).astype('u8'))
np.save('large.npy', np.arange(2**24))
X
hears() { check "$1 is heard" "$python" hearing.py stopped planning "$faro" plan "${@:2}"; }
hears "a list on a mesh" --destinations to.npy --on mesh:256x256,all-links
hears "a map on a torus" 'a:10 | m:10 -> m | a' --on torus:32x32,all-links
hears "one layout to another" 'consecutive:4|16 => cyclic:4|16' --on torus:4x4,all-links
hears "a code of many elements" 'a:20 -> ungray(a)' --on cube:20 --elements 100000
hears "many ranks" 'a:10 | m:10 -> m | a' --on ranks:2^10
check "a report follows no progress" "$python" hearing.py whole permuting "$faro" permute large.npy out.npy --map 'i -> rev(i)'
check "a plan follows no progress" "$python" hearing.py whole planning "$faro" plan 'a:16 -> rev(a)' --on cube:16 --elements 16384
# what computes and what converts say so too
py "rng = np.random.default_rng(7); np.save('line.npy', rng.integers(0, 2**29, 2**22)); np.save('matrix.npy', rng.integers(0, 9, (512, 512)))"
check "a sort of one line is heard" "$python" hearing.py moving transforming "$faro" transform sort line.npy sorted.npy --on cube:4
check "a product is heard" "$python" hearing.py stopped multiplying "$faro" matmul matrix.npy matrix.npy product.npy --on pops:512,512
"$faro" plan 'a:16 -> ungray(a)' --on cube:16 --elements 64 --schedule long.json >/dev/null
check "a conversion is heard" "$python" hearing.py stopped converting "$faro" convert long.json long.csv
check "nothing is left of them" sh -c '! ls sorted.npy* product.npy* long.csv* 2>/dev/null'
# what is too much for one planner is refused by that one, and another answers
"$python" -c "import numpy as np; np.save('million.npy', np.random.default_rng(7).permutation(2**20).astype('u8'))"
exits "a list of two large groups" 0 "$faro" plan --destinations million.npy --on pops:2^19,2 --json
prints "a list of two large groups" "a table of"
exits "a list for another machine" 4 "$faro" plan --destinations million.npy --on cube:20
says "a list for another machine" "On ranks:2^20 in place of cube:20, ranks-rounds applies."
for machine in mesh:1024x1024 torus:2^20 mesh:32x32x32x32; do
  exits "2^20 elements on $machine" 4 "$faro" plan 'i -> rev(i)' --on "$machine",all-links
  says "2^20 elements on $machine" "crosses at most 2^25"
done
