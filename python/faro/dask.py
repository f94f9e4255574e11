"""faro on Dask: stored arrays rechunked by the workers of a cluster, and lazy arrays rearranged.

    faro.dask.rechunk('maps.zarr', 'series.zarr', chunks=(365, 72, 144), client=client)
    y = faro.dask.permute(x, 'bit-reversal', chunks=2**20)         # of a dask array; nothing is done yet
    y = faro.dask.rechunk(x, chunks=(365, 72, 144))

Of stored arrays no element passes the scheduler or goes from worker to worker: the workers do the jobs
of faro.rechunk_plan (docs/jobs.md).

Of lazy arrays the graph is a network of few stages. Every block is cut into pieces by where its
elements go, and pieces come together to blocks, at most FAN of them at a time: N blocks take
log N / log FAN stages of at most N * FAN pieces each. Where each block meets few others there is one
stage, and only these pieces. A task holds a block, its pieces and, unless the map moves whole axes, 32
bytes for each of its elements.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import NamedTuple

import numpy as np

from . import _core
from ._dask_bits import ByBits
from ._errors import EnvironmentFault, Impossible, UsageError
from ._jobs import run_on_dask
from ._maps import BitMap
from ._stored import _path, _Target, copy_groups, rechunk_plan

FAN = 32  # pieces that a block is cut into, or made of, in one stage


# --- stored arrays


def _run_stage(client, stage, tell):
    """Every job that is not done, on workers that have not failed at it."""
    from distributed import as_completed

    jobs = list(stage.remaining)
    futures = client.map(run_on_dask, jobs, pure=False, key=f"faro-stage-{stage.number + 1}-of-{jobs[0].plan}"
                         if jobs else None)
    of, failed = dict(zip(futures, jobs)), {}
    running = as_completed(futures)
    for future in running:
        job, result = of.pop(future), future.result()
        if isinstance(result[0], str):
            worker, why = result
            failed.setdefault(job, set()).add(worker)
            others = sorted(set(client.scheduler_info(n_workers=-1)["workers"]) - failed[job])
            if not others:
                raise EnvironmentFault(f"{why}; no worker could do {job}")
            again = client.submit(run_on_dask, job, pure=False, workers=others)
            of[again] = job
            running.add(again)
        else:
            tell(result)


def _client(client):
    if client is not None:
        return client
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        raise UsageError("no cluster is known: make a distributed.Client, or give client=") from None


def _memory_of_a_job(client):
    """Half of what a thread of the smallest worker has: the rest is the interpreter's and Dask's."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [w["memory_limit"] // w["nthreads"] for w in workers if w["memory_limit"]]
    return min(limits) // 2 if limits else "2GiB"


def _rechunk_stored(source, target, client, memory, progress, temporary, **words):
    client = _client(client)
    memory = _memory_of_a_job(client) if memory is None else memory
    plan = rechunk_plan(source, target, memory=memory, threads=1, temporary=temporary, **words)
    plans = {"": plan} if "passes" in plan else plan
    reports = {}
    for name, one in plans.items():
        stages = one.stages
        total = sum(map(len, stages))
        done = total - sum(len(stage.remaining) for stage in stages)

        def tell(_):
            nonlocal done
            done += 1
            if progress:
                progress(done, total)

        for stage in stages:
            _run_stage(client, stage, tell)
            stage.finish()
        reports[name] = one.finish()
    if "passes" in plan:
        return reports[""]
    to = _Target(target, temporary)
    copy_groups(_path(source, "source"), to.path if to.store is None else to.store)
    return reports


# --- lazy arrays


class _Side:
    """An array in blocks, which are numbered in C order."""

    def __init__(self, shape, chunks):
        self.shape, self.chunks = tuple(shape), tuple(tuple(int(n) for n in c) for c in chunks)
        self.counts = tuple(map(len, self.chunks))
        self.blocks = math.prod(self.counts)
        self.ends = [np.cumsum(c) for c in self.chunks]

    def box(self, number):
        """Where a block begins, and its lengths."""
        index = np.unravel_index(number, self.counts) if self.counts else ()
        extent = [c[i] for c, i in zip(self.chunks, index)]
        return [int(end[i]) - n for end, i, n in zip(self.ends, index, extent)], extent

    def numbers(self, places):
        """Of the blocks in which these flat indices are."""
        left, numbers, step = places, np.zeros(places.shape, np.int32), 1
        for n, chunks in zip(self.shape[::-1], self.chunks[::-1]):
            block = np.repeat(np.arange(len(chunks), dtype=np.int32), chunks)
            numbers += step * block[(left % np.uint64(n)).astype(np.intp)]
            left = left // np.uint64(n)
            step *= len(chunks)
        return numbers


class _ByMap(NamedTuple):
    """Elements that go by a map, one by one."""

    map: object
    given: tuple  # the shape that its words are of
    inverse: bool
    source: _Side
    target: _Side

    def places(self, side, number, forth):
        start, extent = side.box(number)
        inverse = self.inverse != (not forth)
        if isinstance(self.map, BitMap):
            index = np.zeros(extent, np.uint64)
            for k, (n, first, length) in enumerate(zip(side.shape, start, extent)):
                along = np.arange(first, first + length, dtype=np.uint64)
                index = index * np.uint64(n) + along.reshape([-1] + [1] * (len(extent) - 1 - k))
            m = self.map.inverse() if inverse else self.map
            return m(index).astype(np.uint64).ravel()
        places = np.empty(math.prod(extent), np.uint64)
        _core.places_by(self.map, self.given, inverse, side.shape, start, extent, places)
        return places

    def cut(self, number, block):
        """The block's elements in the order of the blocks that they go to, and how many go to each."""
        to = self.target.numbers(self.places(self.source, number, True))
        order = np.argsort(to, kind="stable")
        return block.reshape(-1)[order], np.bincount(to, minlength=self.target.blocks)

    def join(self, number, elements):
        """A block of elements in the order of the blocks that they come from."""
        places = self.places(self.target, number, False)
        block = np.empty(len(places), elements.dtype)
        block[np.lexsort((places, self.source.numbers(places)))] = elements
        return block.reshape(self.target.box(number)[1])

    def pairs(self):
        return None


class _ByBoxes(NamedTuple):
    """Elements that stay where they are, in other blocks."""

    source: _Side
    target: _Side

    @staticmethod
    def meets(side, start, extent):
        """Of a box with the blocks of a side: their numbers, and the parts in both's coordinates."""
        axes = []
        for chunks, ends, first, length in zip(side.chunks, side.ends, start, extent):
            found, i = [], int(np.searchsorted(ends, first, "right"))
            while i < len(chunks) and ends[i] - chunks[i] < first + length:
                low = int(ends[i]) - chunks[i]
                a, b = max(low, first), min(int(ends[i]), first + length)
                if a < b:
                    found.append((i, slice(a - first, b - first)))
                i += 1
            axes.append(found)
        for parts in itertools.product(*axes):
            number = 0
            for count, (i, _) in zip(side.counts, parts):
                number = number * count + i
            yield number, tuple(part for _, part in parts)

    def cut(self, number, block):
        counts = np.zeros(self.target.blocks, np.int64)
        pieces = []
        for to, part in self.meets(self.target, *self.source.box(number)):
            pieces.append(block[part].reshape(-1))
            counts[to] = pieces[-1].size
        return np.concatenate(pieces) if pieces else block.reshape(-1), counts

    def join(self, number, elements):
        start, extent = self.target.box(number)
        block, at = np.empty(extent, elements.dtype), 0
        for _, part in self.meets(self.source, start, extent):
            size = block[part].size
            block[part] = elements[at : at + size].reshape(block[part].shape)
            at += size
        return block

    def pairs(self):
        """For each target block those that it is made of, where they are few."""
        # On an axis the meets are the intervals between the cuts of both.
        meets = math.prod(len(np.union1d(a, b)) for a, b in zip(self.source.ends, self.target.ends))
        if meets > 8 * (self.source.blocks + self.target.blocks):
            return None
        return [[i for i, _ in self.meets(self.source, *self.target.box(j))]
                for j in range(self.target.blocks)]


def _share(elements, counts, groups):
    """What is in the order of target blocks, in groups of so many of them."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    return tuple((elements[ends[g] : ends[min(g + groups, len(counts))]], counts[g : g + groups])
                 for g in range(0, len(counts), groups))


def _cut(move, number, block, groups):
    return _share(*move.cut(number, np.asarray(block)), groups)


def _cut_few(move, number, block, targets):
    """Pieces for these targets alone."""
    elements, counts = move.cut(number, np.asarray(block))
    ends = np.concatenate([[0], np.cumsum(counts)])
    return tuple(elements[ends[t] : ends[t + 1]] for t in targets)


def _merged(pieces):
    """Pieces of the same targets as one, by target and then by source."""
    ends = [np.concatenate([[0], np.cumsum(counts)]) for _, counts in pieces]
    parts = [elements[end[t] : end[t + 1]] for t in range(len(pieces[0][1]))
             for (elements, _), end in zip(pieces, ends)]
    return np.concatenate(parts), sum(counts for _, counts in pieces)


def _regroup(pieces, groups):
    return _share(*_merged(pieces), groups)


def _join(move, number, pieces):
    return move.join(number, _merged(pieces)[0])


def _join_few(move, number, pieces):
    return move.join(number, np.concatenate(pieces))


def _radix(count, stages):
    """The least r with r ** stages >= count."""
    r = max(1, int(round(count ** (1 / stages))) - 1)
    while r**stages < count:
        r += 1
    return r


def stages_of(sources, targets):
    """How many stages cut and merge no more than FAN pieces at a time."""
    stages = 1
    while max(_radix(sources, stages), _radix(targets, stages)) > FAN:
        stages += 1
    return stages


def _layers(name, x, move):
    """Layers of the graph by name, each with those that it needs."""
    source, target = move.source, move.target
    said = f"{name}-map"
    layers, needs = {said: {said: move}}, {said: set()}
    keys = [(x.name, *map(int, i)) for i in np.ndindex(*source.counts)]
    out = [(name, *map(int, j)) for j in np.ndindex(*target.counts)]

    def layer(label, tasks, *before):
        layers[label] = tasks
        needs[label] = {said, *before}

    pairs = move.pairs()
    if pairs is not None:
        targets = [[] for _ in keys]
        for j, found in enumerate(pairs):
            for i in found:
                targets[i].append(j)
        cut, part = f"cut-{name}", f"piece-{name}"
        layer(cut, {(cut, i): (_cut_few, said, i, key, targets[i]) for i, key in enumerate(keys)},
              x.name)
        layer(part, {(part, i, j): (operator.getitem, (cut, i), at)
                     for i, to in enumerate(targets) for at, j in enumerate(to)}, cut)
        layer(name, {key: (_join_few, said, j, [(part, i, j) for i in pairs[j]])
                     for j, key in enumerate(out)}, part)
        return layers, needs
    stages = stages_of(source.blocks, target.blocks)
    fan_in, fan_out = _radix(source.blocks, stages), _radix(target.blocks, stages)
    holders, before = {(i, 0): key for i, key in enumerate(keys)}, x.name
    for stage in range(1, stages + 1):
        groups = fan_out ** (stages - stage)  # targets of a piece
        within = groups * fan_out  # targets of what is cut
        cut, part = f"cut-{stage}-{name}", f"piece-{stage}-{name}"
        cuts, parts, found = {}, {}, {}
        for (p, q), held in holders.items():
            cuts[cut, p, q] = ((_cut, said, p, held, groups) if stage == 1
                               else (_regroup, held, groups))
            count = -(-min(within, target.blocks - q * within) // groups)
            for at in range(count):
                to = q * fan_out + at
                parts[part, p, to] = (operator.getitem, (cut, p, q), at)
                found.setdefault((p // fan_in, to), []).append((part, p, to))
        layer(cut, cuts, before)
        layer(part, parts, cut)
        holders, before = found, part
    layer(name, {out[j]: (_join, said, j, pieces) for (_, j), pieces in holders.items()}, before)
    return layers, needs


def _moved(x, move, words):
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    if x.size == 0:
        return da.empty(move.target.shape, chunks=move.target.chunks, dtype=x.dtype)
    name = "faro-" + tokenize(x.name, words, move.target.chunks)
    layers, needs = _layers(name, x, move)
    graph = HighLevelGraph({**x.dask.layers, **layers}, {**x.dask.dependencies, **needs})
    return da.Array(graph, name, move.target.chunks, dtype=x.dtype, shape=move.target.shape)


def _checked(x):
    if any(math.isnan(n) for n in x.shape):
        raise UsageError("an array of unknown lengths: x.compute_chunk_sizes() finds them")
    if x.dtype.hasobject:
        raise UsageError("an array of objects: elements are moved as bytes")
    return x


def _chunks(chunks, shape, like, dtype):
    from dask.array.core import normalize_chunks

    if chunks is None:
        return like.chunks if tuple(like.shape) == tuple(shape) else _chunks(
            "auto", shape, like, dtype)
    if isinstance(chunks, dict):
        chunks = tuple(chunks.get(k, -1) for k in range(len(shape)))
    return normalize_chunks(chunks, shape, dtype=dtype, previous_chunks=None)


def _bits_of(map, shape):
    """The map as one of bits; None where it is none."""
    if isinstance(map, BitMap):
        return map
    said = _core.bits_by(map, shape)
    return said and BitMap.from_columns(*said)


def permute(x, map=None, /, *, axes=None, inverse=False, chunks=None):
    """A dask array as faro.permute(x, map) rearranges it, lazily, in chunks of these lengths."""
    import dask.array as da

    x = _checked(da.asarray(x))
    if (map is None) == (axes is None):
        raise UsageError("a map or axes= is wanted, one of them")
    if axes is not None:
        axes = [operator.index(a) % x.ndim for a in axes]
        if inverse:
            axes = np.argsort(axes).tolist()
        turned = x.transpose(axes)
        return turned if chunks is None else rechunk(turned, chunks=chunks)
    given = tuple(int(n) for n in x.shape)
    if isinstance(map, BitMap):
        if math.prod(given) != 1 << map.width:
            raise Impossible(f"a map of 2^{map.width} elements, an array of shape {given}")
        shape = given
    elif inverse:
        shape = tuple(_core.shape_by(map, given))
        if shape != given:
            raise UsageError(f"inverse= of words that change the shape, {given} to {shape}: say the map "
                             "the other way round")
    else:
        shape = tuple(_core.shape_by(map, given))
    target = _Side(shape, _chunks(chunks, shape, x, x.dtype))
    source = _Side(given, x.chunks)
    bits = _bits_of(map, given)
    move = bits and ByBits.of(bits.inverse() if inverse else bits, source, target)
    move = move or _ByMap(map, given, bool(inverse), source, target)
    words = (list(map.columns), map.complement) if isinstance(map, BitMap) else map
    return _moved(x, move, ("permute", words, bool(inverse)))


def rechunk(source, target=None, /, *, chunks=None, shards=None, axes=None, flip=None, map=None,
            codec=None, memory=None, passes=0, client=None, progress=None, temporary=None):
    """A stored array, or group, rechunked by a cluster; or a dask array in other chunks, lazily."""
    if hasattr(source, "__dask_graph__"):
        others = (target, shards, axes, flip, map, codec, memory, client, progress, temporary)
        if any(o is not None for o in others) or passes:
            raise UsageError("of a dask array chunks= alone is taken; permute takes maps")
        x = _checked(source)
        shape = tuple(int(n) for n in x.shape)
        if isinstance(chunks, dict):
            chunks = tuple(chunks.get(k, c) for k, c in enumerate(x.chunks))
        to = _Side(shape, _chunks(chunks, shape, x, x.dtype))
        if to.chunks == x.chunks:
            return x
        return _moved(x, _ByBoxes(_Side(shape, x.chunks), to), "rechunk")
    if target is None:
        raise UsageError("a target is wanted: rechunk(source, target, chunks=..)")
    return _rechunk_stored(source, target, client, memory, progress, temporary, chunks=chunks, shards=shards,
                           axes=axes, flip=flip, map=map, codec=codec, passes=passes)
