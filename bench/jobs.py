#!/usr/bin/env python3
"""How jobs and graphs grow with the number of chunks, and a thousand workers simulated.

    bench/jobs.py growth [--most 100000]   plans, jobs, bytes and the scheduler's time; lazy graphs
    bench/jobs.py simulate [--seed 1]      1000 workers with stragglers and failures, beside the bound

Both print the tables of docs/jobs.md. `growth` writes nothing but what arrays say of themselves: chunks
that are absent are read as fill, so that the jobs are real and only their elements cost nothing.
`simulate` takes what a job costs from --read, --write and --start, which `costs` measures here:

    bench/jobs.py ranges                   seconds and memory of a plan of 10^7 chunks and 10^5 jobs
    bench/jobs.py costs                    seconds of a job on this machine, by bytes
    bench/jobs.py cluster [--times 60]     the same rechunking on two workers of Dask, beside its peers
"""

import argparse
import heapq
import itertools
import math
import pathlib
import pickle
import random
import resource
import tempfile
import time

import faro


def row(*cells):
    print("| " + " | ".join(f"{c:.3g}" if isinstance(c, float) else str(c) for c in cells) + " |")


# --- growth


def planned(folder, chunks):
    """Planes to columns, 4 MiB a chunk, in so many chunks."""
    import zarr

    source = folder / f"{chunks}.zarr"
    zarr.create_array(source, shape=(chunks, 1024, 1024), chunks=(1, 1024, 1024), dtype="f4")
    start = time.perf_counter()
    plan = faro.rechunk_plan(source, folder / f"{chunks}-out.zarr",
                             chunks=(min(chunks, 1000), 32, 32), memory="1GiB", threads=1)
    stages = plan.stages
    return plan, stages, time.perf_counter() - start


def ranges():
    """Stages are ranges: only the last job of each is made."""
    import zarr

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        zarr.create_array(folder / "in.zarr", shape=(10**7, 128, 128), chunks=(1, 128, 128), dtype="f4")
        before, start = peak(), time.perf_counter()
        plan = faro.rechunk_plan(folder / "in.zarr", folder / "out.zarr", chunks=(1000, 8, 8),
                                 memory="96MiB", threads=1)
        last = [stage[len(stage) - 1].number for stage in plan.stages]
        row("chunks", "jobs", "plan, s", "MiB more")
        row(10**7, sum(last) + len(last), time.perf_counter() - start, peak() - before)


def growth(most):
    from distributed import Client

    import dask.array as da
    import faro.dask

    row("chunks", "jobs", "plan, s", "bytes of a job", "bytes of all", "scheduler, ms a job")
    row(*["--:"] * 6)
    with tempfile.TemporaryDirectory() as name, Client(
            processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        folder, chunks = pathlib.Path(name), 100
        while chunks <= most:
            plan, stages, seconds = planned(folder, chunks)
            jobs = [job for stage in stages for job in stage]
            start = time.perf_counter()
            client.gather(client.map(lambda job: job.number, jobs, pure=False))
            row(chunks, len(jobs), seconds, len(pickle.dumps(jobs[-1])),
                sum(len(pickle.dumps(job)) for job in jobs),
                (time.perf_counter() - start) / len(jobs) * 1e3)
            plan.discard()
            chunks *= 10
    print()
    row("blocks", "each meets", "stages", "tasks", "tasks a block", "bytes pickled", "graph, s")
    row(*["--:"] * 7)
    n = 100
    while n <= most:
        for met in ("a few", "all"):
            shape, chunks, to = (((n * 10,), 10, 15) if met == "a few" else ((n, n), (1, n), (n, 1)))
            start = time.perf_counter()
            layers = faro.dask.rechunk(da.zeros(shape, chunks=chunks), chunks=to).dask.layers.values()
            seconds = time.perf_counter() - start
            stages = 1 if met == "a few" else faro.dask.stages_of(n, n)
            tasks, size = sum(map(len, layers)), 0
            for layer in layers:  # in parts: the largest graph is some GB
                values = iter(layer.values())
                while part := list(itertools.islice(values, 100_000)):
                    size += len(pickle.dumps(part))
            row(n, met, stages, tasks, tasks / n, size, seconds)
        n *= 10


# --- costs of jobs


def costs():
    import numpy as np
    import zarr

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        a = np.random.default_rng(1).integers(0, 2**32, (400, 256, 256), np.uint32)
        zarr.create_array(folder / "in.zarr", shape=a.shape, chunks=(1, 256, 256), dtype=a.dtype,
                          compressors=None)[...] = a
        plan = faro.rechunk_plan(folder / "in.zarr", folder / "out.zarr", chunks=(400, 32, 32),
                                 memory="80MiB", passes=2, threads=1)
        for stage in plan.stages:
            start = time.perf_counter()
            results = [job.run() for job in stage]
            seconds = time.perf_counter() - start
            start = time.perf_counter()
            for job in stage:
                job.run()
            noted = (time.perf_counter() - start) / len(stage)
            print(f"stage {stage.number}: {len(results)} jobs, {seconds:.3g} s, "
                  f"{seconds / a.nbytes * 1e9:.3g} s a GB read and written, {noted:.3g} s to begin one")
        plan.finish()


# --- two workers


def cluster(times, rounds, alone):
    """Maps to series, stored: faro in one process, by two new workers of 512 MiB and by the same once more, in turn
    within each round; and unless `alone` what Dask does by itself, on new workers too."""
    import numpy as np
    import shutil
    import statistics

    import dask
    import dask.array as da
    import faro.dask
    import zarr
    from distributed import Client, LocalCluster

    shape, to, how = (times, 721, 1440), (times, 72, 144), dict(memory="128MiB", codec="none")

    def by_dask(method):
        def run(source, path, client):
            with dask.config.set({"array.rechunk.method": method}):
                target = zarr.create_array(path, shape=shape, dtype="f4", chunks=to, compressors=None)
                da.from_zarr(str(source)).rechunk(to).to_zarr(target)
        return run

    def by_faro(threads):
        return lambda s, p, c: faro.rechunk(s, p, chunks=to, threads=threads, **how)

    def by_workers(s, p, c):
        faro.dask.rechunk(s, p, chunks=to, client=c, **how)

    # What is done on one cluster, one after the other.
    ways = [{"faro, one process of 1 thread": by_faro(1), "faro, one process of 2 threads": by_faro(2),
             "faro.dask, two new workers": by_workers, "the same workers once more": by_workers}]
    if not alone:
        ways += [{"dask tasks + to_zarr": by_dask("tasks")}, {"dask P2P + to_zarr": by_dask("p2p")}]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        a = zarr.create_array(folder / "in.zarr", shape=shape, dtype="f4", chunks=(1, 721, 1440), compressors=None)
        for i in range(times):
            a[i] = np.random.default_rng(i).normal(size=shape[1:])
        seconds, ended = {way: [] for group in ways for way in group}, {}
        for _, group in itertools.product(range(rounds), ways):
            # A cluster of its own: what others left in its workers is nobody else's.
            with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="512MiB", dashboard_address=None,
                              local_directory=name) as workers, Client(workers) as client:
                for way, run in group.items():
                    if way in ended:
                        continue  # it failed once
                    start = time.perf_counter()
                    try:
                        run(folder / "in.zarr", folder / "out.zarr", client)
                        seconds[way].append(time.perf_counter() - start)
                        if faro.check(folder / "in.zarr", folder / "out.zarr") is not None:
                            ended[way] = "not equal"
                    except Exception as error:
                        ended[way] = f"no result: {type(error).__name__}"
                    shutil.rmtree(folder / "out.zarr", ignore_errors=True)
        row("who", "seconds", "least", "most", "equal")
        row("---", "--:", "--:", "--:", "---")
        for way, took in seconds.items():
            row(way, *([statistics.median(took), min(took), max(took)] if took else [""] * 3), ended.get(way, "yes"))


# --- a thousand workers


def run_stage(rng, jobs, seconds, o):
    """Seconds until the last of the jobs is done; what was done in vain. A worker takes the next job; where
    none is left it copies the one that runs longest, if copies are allowed."""
    waiting, events, running, done, wasted = list(range(jobs))[::-1], [], {}, set(), 0.0
    idle = list(range(o["workers"]))
    now, serial = 0.0, 0

    def begin(worker, job):
        nonlocal serial
        serial += 1
        length = seconds * rng.lognormvariate(0, o["spread"])
        if rng.random() < o["stragglers"]:
            length *= o["slow"]
        fails = rng.expovariate(1 / o["life"]) if o["life"] else math.inf
        running[serial] = (job, worker, now)
        heapq.heappush(events, (now + min(length, fails), serial, fails < length))

    while len(done) < jobs:
        while idle and waiting:
            begin(idle.pop(), waiting.pop())
        if idle and o["copies"]:
            alone = {}
            for key, (job, _, began) in running.items():
                alone.setdefault(job, []).append((began, key))
            late = sorted(copies[0][0:1] + (job,) for job, copies in alone.items()
                          if len(copies) == 1 and now - copies[0][0] > 1.5 * seconds)
            for (_, job), worker in zip(late, [idle.pop() for _ in range(min(len(idle), len(late)))]):
                begin(worker, job)
        now, key, failed = heapq.heappop(events)
        if key == 0:  # time to look for late ones, or a worker that is back
            if failed >= 0:
                idle.append(failed)
            continue
        job, worker, began = running.pop(key)
        if failed:
            wasted += now - began
            heapq.heappush(events, (now + o["restart"], 0, worker))
            if job not in done and all(j != job for j, _, _ in running.values()):
                waiting.append(job)
            continue
        wasted += now - began if job in done else 0
        done.add(job)
        idle.append(worker)
        if o["copies"] and not waiting and (not events or events[0][1] != 0):
            heapq.heappush(events, (now + seconds / 4, 0, -1))
    return now, wasted


def simulate(a):
    stages = [(a.terabytes * 1000 / a.job, a.start + a.job * (a.read + a.write))] * a.stages
    jobs = [(math.ceil(n), s) for n, s in stages]
    bound = sum(max(n * s / a.workers, s) for n, s in jobs)
    print(f"{a.workers} workers, {a.terabytes} TB in {a.stages} stages of {jobs[0][0]} jobs of "
          f"{jobs[0][1]:.3g} s; bound {bound:.4g} s, work / workers\n")
    plain = dict(workers=a.workers, spread=0.1, stragglers=0.0, slow=8.0, life=0.0, restart=60.0,
                 copies=False)
    cases = [("jobs differ by 10 %", {}),
             ("and 1 in 100 takes 8 times as long", dict(stragglers=0.01)),
             ("and is copied when a worker is free", dict(stragglers=0.01, copies=True)),
             ("and workers die once an hour, back in 60 s",
              dict(stragglers=0.01, copies=True, life=3600.0)),
             ("once in ten minutes", dict(stragglers=0.01, copies=True, life=600.0))]
    row("what happens", "seconds", "of the bound", "done in vain")
    row("---", "--:", "--:", "--:")
    for said, changes in cases:
        rng, total, wasted = random.Random(a.seed), 0.0, 0.0
        for n, s in jobs:
            t, w = run_stage(rng, n, s, {**plain, **changes})
            total, wasted = total + t, wasted + w
        row(said, f"{total:.0f}", f"{total / bound:.2f}",
            f"{100 * wasted / sum(n * s for n, s in jobs):.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["growth", "ranges", "costs", "cluster", "simulate"])
    parser.add_argument("--most", type=int, default=100_000, help="chunks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=60, help="maps of 4 MB; of cluster")
    parser.add_argument("--rounds", type=int, default=3, help="of cluster")
    parser.add_argument("--alone", action="store_true", help="of cluster: faro, and not its peers")
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--terabytes", type=float, default=20)
    parser.add_argument("--job", type=float, default=1.0, help="GB of a job")
    parser.add_argument("--stages", type=int, default=2)
    parser.add_argument("--read", type=float, default=2.0, help="seconds a GB")
    parser.add_argument("--write", type=float, default=2.0, help="seconds a GB")
    parser.add_argument("--start", type=float, default=0.05, help="seconds to begin a job")
    a = parser.parse_args()
    {"growth": lambda: growth(a.most), "ranges": ranges, "costs": costs, "cluster": lambda: cluster(a.times, a.rounds, a.alone),
     "simulate": lambda: simulate(a)}[a.what]()


if __name__ == "__main__":
    main()
