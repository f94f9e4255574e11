"""Maps of index bits as columns of whole numbers, for tests that ask nothing of faro."""


def matrix(columns, c):
    """In the notation, whose first column is of the highest bit."""
    return f"matrix({', '.join(map(hex, columns[::-1]))})" + (f" ^ {hex(c)}" if c else "")


def rank(vectors):
    rows = {}
    for v in vectors:
        while v:
            top = v.bit_length()
            if top not in rows:
                rows[top] = v
                break
            v ^= rows[top]
    return len(rows)


def times(columns, x):
    y = 0
    for i, v in enumerate(columns):
        if x >> i & 1:
            y ^= v
    return y


def inverse_of(columns):
    n = len(columns)
    rows = [(v, 1 << i) for i, v in enumerate(columns)]
    for bit in range(n):
        pivot = next(j for j in range(bit, n) if rows[j][0] >> bit & 1)
        rows[bit], rows[pivot] = rows[pivot], rows[bit]
        rows = [(v ^ rows[bit][0], t ^ rows[bit][1]) if j != bit and v >> bit & 1 else (v, t) for j, (v, t) in enumerate(rows)]
    return [t for v, t in rows]


def random_matrix(n, rng):
    while True:
        columns = [rng.getrandbits(n) for _ in range(n)]
        if rank(columns) == n:
            return columns


def destinations(columns, c):
    import numpy as np  # which the page's tests lack

    out = np.array([c], np.uint64)
    for v in columns:
        out = np.concatenate([out, out ^ np.uint64(v)])
    return out.astype(np.int64)
