# faro transform gives what NumPy gives, in every layout, code and order; what is refused.
cat >transforms.py <<'EOF'
"""Every transform on a line of 2^p numbers, beside NumPy; argument: the program."""
import json
import subprocess
import sys

import numpy as np

rng = np.random.default_rng(5)
failed = passed = 0


def hadamard(x):
    h = 1
    while h < x.shape[-1]:
        y = x.reshape(x.shape[:-1] + (-1, 2, h))
        x = np.stack([y[..., 0, :] + y[..., 1, :], y[..., 0, :] - y[..., 1, :]], axis=-2).reshape(x.shape)
        h *= 2
    return x


def sequency(length):
    return np.argsort((np.diff(hadamard(np.eye(length, dtype=int)), axis=1) != 0).sum(axis=1))


def ntt(x, q, generator, inverse):
    root = pow(generator, (q - 1) // len(x), q)
    root = pow(root, -1, q) if inverse else root
    powers = [pow(root, i, q) for i in range(len(x))]
    scale = pow(len(x), -1, q) if inverse else 1
    return np.array([[sum(int(v) * powers[f * t % len(x)] for t, v in enumerate(x)) * scale % q
                      for f in range(len(x))]], dtype=np.uint64)


def cases(length):
    reals = rng.standard_normal((2, length))
    turned = reals + 1j * rng.standard_normal((2, length))
    whole = rng.integers(-9, 9, (2, length))
    residues = rng.integers(0, 998244353, (1, length)).astype(np.uint64)
    halves = np.sort(whole.reshape(2, -1, max(1, length // 2)), axis=2).reshape(2, length)
    return [("fft", turned, np.fft.fft(turned), []), ("ifft", reals, np.fft.ifft(reals), []),
            ("ntt", residues, ntt(residues[0], 998244353, 3, False), []),
            ("intt", residues, ntt(residues[0], 2**64 - 2**32 + 1, 7, True), ["--modulus", "goldilocks"]),
            ("wht", whole, hadamard(whole), []), ("wht", whole, hadamard(whole)[:, sequency(length)], ["--sequency"]),
            ("scan", whole, np.cumsum(whole, axis=1), []),
            ("scan", whole, np.cumsum(whole, axis=1) - whole, ["--exclusive"]),
            ("merge", halves, np.sort(whole, axis=1), []), ("sort", whole, np.sort(whole, axis=1), [])]


def refused(kind, order):
    return kind == "sort" and order or (kind, order) in (("scan", "msb"), ("merge", "lsb"))


for n, m in ((0, 2), (1, 0), (2, 1), (2, 2)):
    for kind, array, wanted, options in cases(2 ** (n + m)):
        np.save("in.npy", array)
        for layout in [a + " " + e for a in ("cyclic", "consecutive")
                       for e in ("binary", "gray", "gray||gray", "binary||gray")]:
            for order in ([], ["--order", "msb"], ["--order", "lsb"]):
                command = [sys.argv[1], "transform", kind, "in.npy", "out.npy", "--on", "cube:%d" % n,
                           "--layout", layout, "--json"] + order + options
                run = subprocess.run(command, capture_output=True, text=True)
                if refused(kind, order[-1] if order else ""):
                    good = run.returncode == 2
                else:
                    good = run.returncode == 0
                    out, report = np.load("out.npy"), json.loads(run.stdout)
                    good = good and out.shape == wanted.shape and np.allclose(out, wanted, 1e-9, 1e-9)
                    good = good and report["cost"]["steps"] == report["formula"]["value"] >= report["bound"]["value"]
                passed += good
                failed += not good
                if not good:
                    print(command, run.stderr, file=sys.stderr)
print("%d %d" % (passed, failed))
EOF
exits "transforms as NumPy's" 0 "$python" transforms.py "$faro"
check "every transform, layout and order: $(head -c 600 "$stderr")" grep -qx '960 0' "$stdout"

py "
rng = np.random.default_rng(3)
a = np.zeros((64, 3), dtype=[('name', 'S3'), ('k', '>i2'), ('w', '<f8')])
a['k'] = rng.integers(-5, 5, a.shape); a['w'] = rng.standard_normal(a.shape); a['w'][5, 0] = np.nan
np.save('r.npy', a); np.save('i.npy', rng.integers(-9, 9, 64)); np.save('c.npy', np.arange(12) * 1j)
"
for key in k w; do
  exits "records by $key" 0 "$faro" transform sort r.npy s.npy --on cube:3 --layout 'cyclic gray' --axis 0 --key $key
  check "records by $key" py "
a = np.load('r.npy'); b = np.load('s.npy')
sys.exit(a.dtype != b.dtype or b.tobytes() != np.take_along_axis(a, np.argsort(a['$key'], 0, 'stable'), 0).tobytes())"
done
rm -f s.npy
exits "a key that is no number" 2 "$faro" transform sort r.npy s.npy --on cube:3 --axis 0; says "a key" "--key takes another one of name, k, w"
exits "a key that is not there" 2 "$faro" transform sort r.npy s.npy --on cube:3 --axis 0 --key z; says "a key" "fields name, k, w"
exits "no records" 2 "$faro" transform sort i.npy s.npy --on cube:3 --key k
exits "no power of two" 2 "$faro" transform fft c.npy s.npy --on cube:1; says "length" "8 and 16 are the nearest"
exits "too short a line" 2 "$faro" transform wht i.npy s.npy --on cube:7; says "length" "take cube:6 or less"
exits "another layout" 2 "$faro" transform wht i.npy s.npy --on cube:3 --layout 'cyclic:2|4'; says "layout" "there are 3"
exits "no layout" 2 "$faro" transform wht i.npy s.npy --on cube:3 --layout cycle; says "layout" "cyclic or consecutive"
exits "no cube" 2 "$faro" transform wht i.npy s.npy --on mesh:8x8; says "machine" "run on cubes with all ports"
exits "one processor" 0 "$faro" transform wht i.npy one.npy; exits "processors" 0 "$faro" transform wht i.npy some.npy --on cube:3
check "without --on there is one processor" cmp -s one.npy some.npy
exits "another type" 2 "$faro" transform sort c.npy s.npy --on cube:1 --axis 0
exits "negative residues" 2 "$faro" transform ntt i.npy s.npy --on cube:3; says "residues" "wanted residues"
check "refusals leave no file" test ! -e s.npy
