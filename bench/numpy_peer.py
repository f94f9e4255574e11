#!/usr/bin/env python3
"""Median seconds of NumPy's copy of a transposed 2 x 2 x ... x 2 view.

usage: numpy_peer.py ELEMENT_BYTES PLACE...      bit b of the index goes to PLACE[b]
"""
import statistics
import sys
import time

import numpy

# NumPy allows 32 axes.
element = int(sys.argv[1])
places = [int(p) for p in sys.argv[2:]]
width = len(places)
dtype = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}[element]
source = numpy.ones(1 << width, dtype)
result = numpy.ones(1 << width, dtype)
# Axis a of the view is bit width-1-a; axis of the result for bit place.
bit_at = {place: b for b, place in enumerate(places)}
axes = [width - 1 - bit_at[width - 1 - a] for a in range(width)]
view = source.reshape((2,) * width).transpose(axes)
shaped = result.reshape((2,) * width)
seconds = []
for _ in range(3):
    begin = time.perf_counter()
    numpy.copyto(shaped, view)
    seconds.append(time.perf_counter() - begin)
print(statistics.median(seconds))
