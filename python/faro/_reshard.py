"""Checkpoints for another number of ranks, within a cap of memory."""

from __future__ import annotations

import json
import os

from . import _core
from ._errors import UsageError
from ._jobs import ReshardPlan
from ._lending import threads_of, with_progress

_names = "model-rank-{rank}-part-{part}.safetensors"


def _words(from_layout, to_layout, from_names, to_names, memory, file_size, threads, **others):
    return {"from": from_layout, "to": to_layout, "from_names": from_names, "to_names": to_names,
            "memory": str(memory), "file_size": str(file_size), "threads": threads_of(threads),
            "verify": False, "unfinished": "refuse", **others}


def reshard(source, target, /, *, from_layout="whole", to_layout="whole", memory="2GiB",
            file_size="5GB", from_names=_names, to_names=_names, threads=None, resume=False,
            fresh=False, verify=False, progress=None):
    """A checkpoint in safetensors files for another number of ranks."""
    if resume and fresh:
        raise UsageError("resume goes on, fresh begins anew: one of them")
    words = _words(from_layout, to_layout, from_names, to_names, memory, file_size, threads,
                   verify=verify,
                   unfinished="resume" if resume else "fresh" if fresh else "refuse")
    a, b = os.fsencode(source), os.fsencode(target)
    return with_progress(lambda heard: _core.reshard(a, b, words, heard), progress)


def reshard_plan(source, target=None, /, *, from_layout="whole", to_layout="whole", memory="2GiB",
                 file_size="5GB", from_names=_names, to_names=_names, threads=None):
    """What reshard would do, and with a target its jobs; headers are read, and no tensor."""
    words = _words(from_layout, to_layout, from_names, to_names, memory, file_size, threads)
    a = os.fsencode(source)
    plan, text = _core.reshard_plan(a, words)
    said = {**json.loads(plan), "describe": text, "explain": _core.reshard_explained(a, words)}
    return ReshardPlan(said, a, None if target is None else os.fsencode(target), words)


for _object in (reshard, reshard_plan):
    _object.__module__ = "faro"
