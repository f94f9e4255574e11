# Planning says that it goes on, hears one signal at once, and leaves a clean line behind: seen as on a terminal,
# by a pseudo-terminal that standard error is. What is counted is how often the line is drawn anew.
cat >hearing.py <<'X'
import os, pty, re, signal, subprocess, sys

def run(words, is_time):
    """Standard error as a terminal sees it, the exit code, and what was seen after a signal, which is sent when
    is_time(text)."""
    terminal, end = pty.openpty()
    program = subprocess.Popen(words, stdout=end, stderr=end, stdin=subprocess.DEVNULL)
    os.close(end)
    text, sent = b'', None
    while True:
        if sent is None and is_time(text):
            program.send_signal(signal.SIGINT)
            sent = len(text)
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    program.wait()
    return text, program.returncode, None if sent is None else text[sent:]

def drawn(text):
    return text.count(b'\x1b[K')

def shares(text):
    return len(set(re.findall(rb'(\d+)%', text)))

def screen(text):
    """The lines as they stand in the end."""
    lines = []
    for line in text.decode().replace('\r\n', '\n').split('\n'):
        lines.append(line.rsplit('\x1b[K', 1)[-1] if '\x1b[K' in line else line)
    return lines

def fail(*what):
    print(*what)
    sys.exit(1)

# stopped LABEL: a signal after the line was drawn three times is heard; moving LABEL: after three different shares
mode, label, words = sys.argv[1], sys.argv[2], sys.argv[3:]
if mode != 'whole':
    text, code, after = run(words, lambda text: shares(text) >= 3 if mode == 'moving' else drawn(text) >= 3)
    if after is None:
        fail('it ended by itself before the signal:', text)
    if code != 130 or drawn(after) > 12:
        fail(f'exit code {code}; the line was drawn {drawn(after)} times after the signal')
    if label.encode() not in text:
        fail('it does not say what it does:', text)
    if b'faro: interrupted' not in text:
        fail('it does not say that it was interrupted')
else:
    text, code, _ = run(words, lambda text: False)
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
hears "a code of many elements" 'a:20 -> ungray(a)' --on cube:20 --elements 100000 --algorithm services-ring
hears "many ranks" 'a:10 | m:10 -> m | a' --on ranks:2^10
check "a report follows no progress" "$python" hearing.py whole permuting "$faro" permute large.npy out.npy --map 'i -> rev(i)'
check "a plan follows no progress" "$python" hearing.py whole planning "$faro" plan 'a:16 -> rev(a)' --on cube:16 --elements 16384 --algorithm cycle-rounds
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
