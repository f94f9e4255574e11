"""A rechunking or a resharding as stages of jobs, which any engine runs: in any order, anywhere, twice or
twice at once.

    plan = faro.rechunk_plan('maps.zarr', 'series.zarr', chunks=(365, 72, 144), memory='2GiB')
    for stage in plan.stages:
        with ProcessPoolExecutor() as pool:
            list(pool.map(faro.Job.run, stage.remaining))
    plan.finish()

A stage is a range: its jobs are made when they are asked for, and their number costs nothing.
"""

from __future__ import annotations

import collections.abc
import json
import os
from typing import Any, NamedTuple

from . import _core
from ._errors import EnvironmentFault, Refused, UsageError

FORMAT = "faro-job/1"
MODULUS = 2**127 - 1  # of the digest: docs/digest.md


class JobResult(NamedTuple):
    """What a job did: its share of the digests, and its counts."""

    stage: int
    number: int
    digest_read: int
    digest_written: int
    bytes_written: int
    reads: int
    bytes_read: int
    writes: int
    buffer_bytes: int
    was_done: bool


class Job(NamedTuple):
    """One job: some two hundred bytes, whatever the array."""

    folder: str
    plan: str  # the digest of the request and its plan
    stage: int
    number: int
    memory_bytes: int

    def run(self, *, again=False):
        """Does it, or reads its note where it is done; again=True does it in any case."""
        did = _core.job_run(os.fsencode(self.folder), self.plan, self.stage, self.number, again)
        return JobResult(self.stage, self.number, int(did["digest_read"], 16),
                         int(did["digest_written"], 16), did["bytes_written"], did["reads"],
                         did["bytes_read"], did["writes"], did["buffer_bytes"], did["was_done"])

    def to_json(self):
        return json.dumps({"format": FORMAT, **self._asdict()})

    @classmethod
    def from_json(cls, text):
        try:
            said = json.loads(text)
            if said.pop("format") != FORMAT:
                raise KeyError("format")
            job = cls(**said)
            if not all(isinstance(x, str) for x in job[:2]) or not all(type(n) is int for n in job[2:]):
                raise TypeError("a field")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"no job of format {FORMAT}: {error}") from None
        return job


def run_on_dask(job):
    """The job's result; where the system refuses it something, on which worker and what. Here and not in
    faro.dask: a new worker imports no more than it needs."""
    try:
        return job.run()
    except EnvironmentFault as error:
        from distributed import get_worker

        return get_worker().address, str(error)


class Stage(collections.abc.Sequence):
    """The jobs of one pass. All are done before the first of the next stage begins."""

    def __init__(self, folder, plan, number, numbers, memory_bytes):
        self._folder, self._plan, self._numbers = folder, plan, numbers
        self.number, self.memory_bytes = number, memory_bytes

    def __len__(self):
        return len(self._numbers)

    def __getitem__(self, at):
        if isinstance(at, slice):
            return self._of(self._numbers[at])
        return Job(os.fsdecode(self._folder), self._plan, self.number, self._numbers[at],
                   self.memory_bytes)

    def _of(self, numbers):
        return Stage(self._folder, self._plan, self.number, numbers, self.memory_bytes)

    def __repr__(self):
        return f"Stage({self.number}, {len(self)} jobs of {self.memory_bytes} bytes)"

    @property
    def remaining(self):
        """The jobs that are not done, by the notes beside the target."""
        return self._of(_core.jobs_remaining(self._folder, self._plan, self.number))

    def finish(self):
        """Refuses where a job is not done. Removes what only this stage reads; plan.finish() does it too."""
        _core.jobs_finish_stage(self._folder, self._plan, self.number)


class JobsPlan(dict):
    """What a plan says, and its jobs."""

    _begin: Any = None  # of the engine; who derives from this says which

    def __init__(self, said, source, target, words):
        super().__init__(said)
        self._source, self._target, self._words = source, target, words
        self._begun = None

    def __reduce__(self):
        return type(self), (dict(self), self._source, self._target, self._words)

    def _path(self):
        return self._target

    def _make_room(self):
        pass

    def _jobs(self):
        if self._target is None:
            raise UsageError("a plan without a target has no jobs: say source and target")
        if self._begun is None:
            self._make_room()
            self._begun = type(self)._begin(self._source, self._path(), self._words)
        return self._begun

    @property
    def stages(self):
        """Stages in turn. The first look writes the plan beside the target, or finds it there: what
        an earlier run has done is done."""
        folder, plan, counts, peaks = self._jobs()
        return [Stage(folder, plan, number, range(count), peak)
                for number, (count, peak) in enumerate(zip(counts, peaks))]

    def finish(self, results=None):
        """Compares the sums of the shares of all jobs, of those given and of the notes, then gives
        the target its name. Returns what rechunk or reshard returns."""
        folder, plan, counts, _ = self._jobs()
        if results is not None:
            shares = {(r.stage, r.number): r for r in results}
            if len(shares) != sum(counts):
                raise UsageError(f"results of {len(shares)} jobs of {sum(counts)}")
            read, written = (sum(getattr(r, side) for r in shares.values()) % MODULUS
                             for side in ("digest_read", "digest_written"))
            if read != written:
                raise Refused(f"what was read and what was written are not the same: {read:032x} and "
                              f"{written:032x}")
        report = _core.jobs_finish(folder, plan, self._path())
        self._begun = None
        return report

    def discard(self):
        """Forgets the unfinished jobs of the target, whoever began them."""
        if self._target is not None:
            _core.jobs_discard(self._path())
        self._begun = None


class RechunkPlan(JobsPlan):
    """What rechunk_plan says, and its jobs."""

    _begin = staticmethod(_core.jobs_begin)

    def _path(self):
        return self._target.path  # a _Target of _stored.py

    def _make_room(self):
        self._target.make_room_for_jobs()

    def finish(self, results=None):
        if self._target is not None:
            self._jobs()
            self._target.refuse_lost_jobs()
        report = super().finish(results)
        self._target.done()
        return report

    def discard(self):
        has_begun = self._target is not None and self._target.has_jobs()
        super().discard()
        if has_begun:
            self._target.clear_jobs()


class ReshardPlan(JobsPlan):
    """What reshard_plan says, and its jobs: each makes one file of the target."""

    _begin = staticmethod(_core.reshard_jobs_begin)


for _object in (Job, JobResult, Stage, RechunkPlan, ReshardPlan):
    _object.__module__ = "faro"
