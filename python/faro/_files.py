"""Arrays in files, however large, within a cap of memory."""

from __future__ import annotations

import os
from typing import NamedTuple

from . import _core
from ._lending import threads_of, whole, with_progress


class FileReport(NamedTuple):
    """What was done with a file."""

    bytes: int
    passes: int
    passes_bound: int
    memory: int
    reads: int
    writes: int
    resumed: int
    verified: bool
    seconds: float


def permute_file(source, target, map, /, *, axis=None, itemsize=None, memory=1 << 30, threads=None,
                 verify=False, fresh=False, device="ssd", checkpoint=10.0, progress=None):
    """Rearranges the array in a .npy file, or of raw elements of itemsize bytes."""
    count = threads_of(threads)
    return FileReport(**with_progress(
        lambda heard: _core.permute_file(
            os.fsencode(source), os.fsencode(target), map, axis, whole(itemsize, "itemsize"),
            whole(memory, "memory"), count, verify, fresh,
            device, checkpoint, heard),
        progress))


def resume_file(target, /, *, unchanged=False, threads=None, progress=None):
    """Goes on with a run that was stopped: by Ctrl-C, a kill or a power failure."""
    count = threads_of(threads)
    return FileReport(**with_progress(
        lambda heard: _core.resume_file(os.fsencode(target), unchanged, count, heard), progress))


def unfinished_file(target, /):
    """What a stopped run of this output has done, in words; None where there is none."""
    return _core.unfinished_file(os.fsencode(target)) or None


for _object in (FileReport, permute_file, resume_file, unfinished_file):
    _object.__module__ = "faro"
