"""A map of bits on arrays in blocks whose lengths are powers of two: what is cut, and what comes together, is
again a map of bits within a block, so that the engine moves it.

Indices are (block, place in the block), the block's bits above. Let the map send x to A x + c. Of block b the
target blocks are the high bits of A (b, i) + c, i a place: r functionals of i are independent, and 2^r blocks
get 2^(k-r) elements each. They are sorted by target if these functionals, at the leading bits of what they
span, become the high bits of the place. The rest of the order is by those bits of i that make them a basis;
what comes together knows it, too:

    bit reversal, 16 elements, blocks of 4:   b1 b0 i1 i0 -> i0 i1 b0 b1
        block b is cut by (i0 i1), its target       of target t the elements come by (b1 b0), their block
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._maps import BitMap


def _log2(n):
    return n.bit_length() - 1 if n > 0 and n & (n - 1) == 0 else None


def _places(side):
    """Of each bit of a flat index: where it stands in (block, place); and how many bits the place has. None
    where a length or a chunk is no power of two."""
    lengths = [_log2(n) for n in side.shape]
    chunks = [_log2(c[0]) if len(set(c)) == 1 else None for c in side.chunks]
    if None in lengths or None in chunks:
        return None
    local, block = 0, sum(chunks)
    within, places = block, []
    for length, chunk in zip(lengths[::-1], chunks[::-1]):  # the last axis is the least significant
        for bit in range(length):
            if bit < chunk:
                places.append(local + bit)
            else:
                places.append(block + bit - chunk)
        local, block = local + chunk, block + length - chunk
    return places, within


def _by_blocks(columns, source_places, target_places):
    """The columns of a map of flat indices, for indices of (block, place)."""
    def placed(word):
        return sum(1 << place for bit, place in enumerate(target_places) if word >> bit & 1)

    moved = [0] * len(columns)
    for bit, column in enumerate(columns):
        moved[source_places[bit]] = placed(column)
    return tuple(moved), placed


def _applied(columns, word):
    result = 0
    for bit, column in enumerate(columns):
        if word >> bit & 1:
            result ^= column
    return result


def _echelon(vectors):
    """A basis of what they span, the highest leading bit first; no other vector of it has that bit."""
    basis = []
    for vector in vectors:
        for one in basis:
            vector = min(vector, vector ^ one)
        if vector:
            basis = [min(one, one ^ vector) if one >> (vector.bit_length() - 1) & 1 else one for one in basis]
            basis.append(vector)
    return sorted(basis, reverse=True)


class ByBits(NamedTuple):
    """Elements that go by a map of bits, blocks of which the engine sorts."""

    columns: tuple  # of the map and of its inverse, for (block, place)
    constant: int
    back: tuple
    back_constant: int
    within: tuple  # bits of a place in a source block, and in a target block
    source: object
    target: object

    @classmethod
    def of(cls, bits, source, target):
        """None where blocks are no powers of two."""
        found = _places(source), _places(target)
        if None in found:
            return None
        (from_places, from_within), (to_places, to_within) = found
        inverse = bits.inverse()
        columns, placed = _by_blocks(bits.columns, from_places, to_places)
        back, placed_back = _by_blocks(inverse.columns, to_places, from_places)
        return cls(columns, placed(bits.complement), back, placed_back(inverse.complement),
                   (from_within, to_within), source, target)

    def _targets(self):
        """What the target blocks of a source block differ by."""
        return _echelon(column >> self.within[1] for column in self.columns[: self.within[0]])

    def _sorting(self):
        """The leading bits of target blocks, and the bits of a place that they leave free."""
        leads = [vector.bit_length() - 1 for vector in self._targets()]
        local = self.within[0]
        functionals = [sum((column >> self.within[1] >> lead & 1) << bit
                           for bit, column in enumerate(self.columns[:local])) for lead in leads]
        bound = {vector.bit_length() - 1 for vector in _echelon(functionals)}
        return leads, [bit for bit in range(local) if bit not in bound]

    def _blocks(self, first, span):
        """Numbers of blocks, ascending."""
        for vector in span:
            first = min(first, first ^ vector)
        numbers = np.array([first], np.int64)
        for vector in reversed(span):
            numbers = np.concatenate([numbers, numbers ^ vector])
        return numbers

    def _targets_of(self, number):
        first = _applied(self.columns, number << self.within[0]) ^ self.constant
        return first, self._blocks(first >> self.within[1], self._targets())

    def cut(self, number, block):
        """The block's elements in the order of the blocks that they go to, and how many go to each."""
        first, numbers = self._targets_of(number)
        leads, free = self._sorting()
        shift = self.within[1]

        def sorted_place(word, place):
            key = 0
            for lead in leads:
                key = key << 1 | word >> shift >> lead & 1
            return key << len(free) | sum((place >> bit & 1) << at for at, bit in enumerate(free))

        order = BitMap.from_columns([sorted_place(self.columns[bit], 1 << bit)
                                     for bit in range(self.within[0])], sorted_place(first, 0))
        counts = np.zeros(self.target.blocks, np.int64)
        counts[numbers] = 1 << len(free)
        return _moved(block.reshape(-1), order, False), counts

    def join(self, number, elements):
        """A block of elements in the order of the blocks that they come from."""
        from_within, to_within = self.within
        span = _echelon(column >> from_within for column in self.back[:to_within])
        leads = [vector.bit_length() - 1 for vector in span]
        _, free = self._sorting()

        def came_at(word):
            key = 0
            for lead in leads:
                key = key << 1 | word >> from_within >> lead & 1
            return key << len(free) | sum((word >> bit & 1) << at for at, bit in enumerate(free))

        first = _applied(self.back, number << to_within) ^ self.back_constant
        order = BitMap.from_columns([came_at(self.back[bit]) for bit in range(to_within)], came_at(first))
        return _moved(elements, order, True).reshape(self.target.box(number)[1])

    def pairs(self):
        """For each target block those that it is made of, where they are few."""
        if self.source.blocks << len(self._targets()) > 8 * (self.source.blocks + self.target.blocks):
            return None
        pairs = [[] for _ in range(self.target.blocks)]
        for number in range(self.source.blocks):
            for to in self._targets_of(number)[1].tolist():
                pairs[to].append(number)
        return pairs


def _moved(elements, order, inverse):
    from ._arrays import permute

    return permute(np.ascontiguousarray(elements), order, inverse=inverse)
