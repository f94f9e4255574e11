#!/usr/bin/env python3
"""The same rechunking by faro and by its peers, each a process of its own under one cap of memory.

    bench/rechunk/rechunk_peers.py FOLDER --gigabytes 0.5 --memory 192MiB --rounds 3

Three jobs, shrunk to so many bytes: planes of a climate model to series in time, planes of a microscope to
cubes in shards, and the transpose of a matrix of odd lengths. For each job and each tool: seconds and
processor seconds (medians; other work on the machine stretches the first alone), the most memory (without page
cache, and with it: a group that reads much fills its cap), bytes read and written by system calls, the disk
that it needed beyond the result, and whether the result is equal, by `faro check` and by NumPy. Rounds go through all
tools in turn. The page cache is emptied of the source before each run, and each ends with a sync.

faro runs in a control group of exactly MEMORY. Tools in Python get --python-extra beside it, for the
interpreter and what it imports. Dask's worker counts the whole process and is told both together; cubed and
rechunker are told half of MEMORY for each of two threads; the boxes that tensorstore and zarr-python copy
have half of it. Without control groups nothing holds the cap, and
the table says so. A tool that is not installed is left out with a word. rechunker wants zarr before
version 3: --old-python names an interpreter that has both.

--floor measures instead what no tool can leave out: the chunks of the source read and decoded, those of the
result put together, encoded and written, each alone, with one thread and with two.
"""

import argparse
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

MIB = 1 << 20


def jobs(size):
    """Shapes of the source; files and chunks of the source and of the result; the order of axes."""
    def scaled(bytes_at_full, axes):
        return (size / bytes_at_full) ** (1 / axes)

    times = max(2, round(2190 * scaled(2190 * 721 * 1440 * 4, 1)))
    s = scaled(1402 * 2596 * 1473 * 2, 3)
    z, y, x = (max(3, round(n * s)) for n in (1402, 2596, 1473))
    shard = 64 * max(1, round(512 * s / 64))
    n = max(2, round(60000 * scaled(60001 * 59999 * 8, 2)) // 2 * 2)
    rows = max(1, MIB // (8 * n))
    return {
        "era5": dict(shape=(times, 721, 1440), dtype="<f4", chunks=(1, 721, 1440), axes=(0, 1, 2),
                     to=(times, 72, 144), shards=None),
        "microscope": dict(shape=(z, y, x), dtype="<u2", chunks=(1, y, x), axes=(0, 1, 2),
                           to=(64, 64, 64), shards=(shard,) * 3),
        "transpose": dict(shape=(n + 1, n - 1), dtype="<f8", chunks=(rows, n - 1), axes=(1, 0),
                          to=(rows, n + 1), shards=None),
    }


def turned(job):
    return tuple(job["shape"][k] for k in job["axes"])


def slabs(job, most_bytes):
    """Boxes of the result: whole files, as many along the last axes as memory holds."""
    import numpy as np

    shape, box = turned(job), list(job["shards"] or job["to"])
    item = np.dtype(job["dtype"]).itemsize
    box = [min(b, n) for b, n in zip(box, shape)]
    for k in reversed(range(len(shape))):
        others = item * math.prod(box) // box[k]
        files = max(1, most_bytes // (others * box[k]))
        box[k] = min(shape[k], files * box[k])
    for index in np.ndindex(*(-(-n // b) for n, b in zip(shape, box))):
        yield tuple(slice(i * b, min(n, (i + 1) * b)) for i, b, n in zip(index, box, shape))


# The tools. Each gets the job, the folders of source and result, MEMORY, and a folder for what is temporary.

def new_target(job, target):
    import zarr

    return zarr.create_array(target, shape=turned(job), dtype=job["dtype"], chunks=job["to"],
                             shards=job["shards"], compressors=codec_of(job))


def codec_of(job):
    import zarr

    return zarr.codecs.ZstdCodec(level=1) if job["codec"] == "zstd" else None


def zarr_slices(job, source, target, memory, between):
    import zarr

    a, b = zarr.open_array(source, mode="r"), new_target(job, target)
    for box in slabs(job, memory // 2):
        b[box] = a[tuple(box[job["axes"].index(k)] for k in range(a.ndim))].transpose(job["axes"])


def tensorstore(job, source, target, memory, between):
    import tensorstore as ts

    new_target(job, target)

    def opened(path):
        return ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path},
                        "context": {"cache_pool": {"total_bytes_limit": memory // 4},
                                    "data_copy_concurrency": {"limit": 2}}}).result()

    a, b = opened(source).transpose(list(job["axes"])), opened(target)
    for box in slabs(job, memory // 2):
        b[box].write(a[box]).result()


def dask(method):
    def run(job, source, target, memory, between):
        import dask
        import dask.array as da
        import distributed

        dask.config.set({"array.rechunk.method": method, "temporary-directory": between})
        limit = memory + job["python_extra"]
        with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None,
                                      memory_limit=limit, local_directory=between) as cluster:
            with distributed.Client(cluster):
                x = da.from_zarr(source).transpose(job["axes"])
                x.rechunk(tuple(job["shards"] or job["to"])).to_zarr(new_target(job, target))
    return run


def cubed(job, source, target, memory, between):
    import cubed
    import cubed.array_api as xp

    spec = cubed.Spec(work_dir=between, allowed_mem=memory // 2, reserved_mem=0, executor_name="threads",
                      executor_options={"max_workers": 2})
    x = xp.permute_dims(cubed.from_zarr(source, spec=spec), job["axes"])
    cubed.to_zarr(x.rechunk(tuple(job["shards"] or job["to"])), new_target(job, target))


def rechunker(job, source, target, memory, between):
    import dask
    import numcodecs
    import rechunker
    import zarr

    codec = numcodecs.Zstd(1) if job["codec"] == "zstd" else None
    with dask.config.set(scheduler="threads", num_workers=2):
        rechunker.rechunk(zarr.open(source, mode="r"), tuple(job["to"]), memory // 2, target,
                          temp_store=os.path.join(between, "between.zarr"),
                          target_options={"compressor": codec}, temp_options={"compressor": codec},
                          executor="dask").execute()


PEERS = {"dask tasks": dask("tasks"), "dask P2P": dask("p2p"), "cubed": cubed, "rechunker": rechunker,
         "tensorstore": tensorstore, "zarr slices": zarr_slices}
NEEDS = {"dask tasks": "dask.array, distributed, zarr", "dask P2P": "dask.array, distributed, zarr",
         "cubed": "cubed.array_api", "rechunker": "rechunker, dask, zarr", "tensorstore": "tensorstore, zarr",
         "zarr slices": "zarr"}


def why_not(peer, job, python):
    if peer == "rechunker" and job["shards"]:
        return "it knows no shards"
    if peer == "rechunker" and job["axes"] != tuple(sorted(job["axes"])):
        return "it keeps the order of axes"
    found = subprocess.run([python, "-c", "import " + NEEDS[peer]], capture_output=True, text=True)
    return found.stderr.strip().rpartition("\n")[2] if found.returncode else None


# Measuring.

class Group:
    """A control group; where the system gives none, the sizes that processes say."""

    def __init__(self, limit):
        lines = [line.strip().split(":", 2) for line in open("/proc/self/cgroup")]
        at = {name: path for _, names, path in lines for name in names.split(",")}
        self.v1 = "memory" in at
        base = "/sys/fs/cgroup/memory" + at["memory"] if self.v1 else "/sys/fs/cgroup" + at.get("", "/")
        self.path = f"{base}/faro-rechunk-{os.getpid()}"
        try:
            os.mkdir(self.path)
            with open(self.path + ("/memory.limit_in_bytes" if self.v1 else "/memory.max"), "w") as file:
                file.write(str(limit))
        except OSError as error:
            if os.path.isdir(self.path):
                os.rmdir(self.path)
            self.path, self.why = None, str(error)

    def enter(self):
        if self.path:
            with open(self.path + "/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))

    def held(self, pid):
        """Bytes that are no page cache."""
        try:
            if not self.path:
                return int(open(f"/proc/{pid}/statm").read().split()[1]) * resource.getpagesize()
            key = "total_rss" if self.v1 else "anon"
            words = dict(line.split() for line in open(self.path + "/memory.stat"))
            return int(words[key])
        except (OSError, IndexError):
            return 0

    def most(self):
        """Bytes at most, page cache included; 0 where nobody says."""
        try:
            return int(open(self.path + ("/memory.max_usage_in_bytes" if self.v1 else "/memory.peak")).read())
        except (OSError, TypeError):
            return 0

    def end(self):
        for _ in range(100 if self.path else 0):
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.1)


def disk_bytes(folder):
    total = 0
    for where, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(where, file)).st_blocks * 512
            except OSError:
                pass  # renamed or removed meanwhile
    return total


def forget(folder):
    os.sync()
    for where, _, files in os.walk(folder):
        for file in files:
            opened = os.open(os.path.join(where, file), os.O_RDONLY)
            os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(opened)


def measured(command, limit_bytes, limit_seconds, folder):
    """One run in a group of its own: what it took, and how it ended."""
    group = Group(limit_bytes)
    environment = {**os.environ, "TMPDIR": os.path.join(folder, "between"), "OMP_NUM_THREADS": "1"}
    start = time.monotonic()
    with open(os.path.join(folder, "said"), "w+") as said:
        child = subprocess.Popen(command, preexec_fn=group.enter, start_new_session=True, stdout=said,
                                 stderr=said, env=environment)
        peak, disk, looked, late = 0, 0, 0.0, False
        while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            peak = max(peak, group.held(child.pid))
            if time.monotonic() - looked > 0.5:
                disk, looked = max(disk, disk_bytes(folder)), time.monotonic()
            if time.monotonic() - start > limit_seconds and not late:
                late = True
                os.killpg(child.pid, signal.SIGKILL)
            time.sleep(0.02)
        seconds = time.monotonic() - start
        # Of the child and all that it waited for; read before it is reaped.
        io = dict(line.split(": ") for line in open(f"/proc/{child.pid}/io"))
        _, status, used = os.wait4(child.pid, 0)
        code = child.returncode = os.waitstatus_to_exitcode(status)
        most = group.most()
        said.seek(0)
        words = said.read().strip().rpartition("\n")[2][:120]
    group.end()
    disk = max(disk, disk_bytes(folder))
    ended = None
    if late:
        ended = f"not done after {limit_seconds:.0f} s"
    elif code == -signal.SIGKILL:
        ended = "killed: over the cap"
    elif code:
        ended = words or f"ended with {code}"
    return dict(seconds=seconds, processor=used.ru_utime + used.ru_stime, peak=peak, most=most,
                read=int(io["rchar"]), written=int(io["wchar"]), disk=disk,
                ended=ended, capped=group.path is not None)


def make_sources(job, folder, old_python):
    """The source: a field that is smooth in places and noisy in others; a twin in Zarr 2 for rechunker."""
    import numpy as np
    import zarr

    rng = np.random.default_rng(1)
    shape, dtype = job["shape"], np.dtype(job["dtype"])
    a = zarr.create_array(folder + "/source.zarr", shape=shape, chunks=job["chunks"], dtype=dtype,
                          compressors=codec_of(job))
    twin = None
    if old_python and not job["shards"] and job["axes"] == tuple(sorted(job["axes"])):
        import numcodecs

        codec = numcodecs.Zstd(1) if job["codec"] == "zstd" else None
        twin = zarr.create_array(folder + "/source2.zarr", shape=shape, chunks=job["chunks"], dtype=dtype,
                                 zarr_format=2, compressors=codec)
    step = job["chunks"][0]
    for i in range(0, shape[0], step):
        part = rng.normal(250, 10, (min(step, shape[0] - i), *shape[1:]))
        part[..., : shape[-1] // 2] = np.round(part[..., : shape[-1] // 2])
        for z in (a, twin):
            if z is not None:
                z[i : i + step] = part.astype(dtype)


def equal(job, source, target, args):
    """By faro and by NumPy: None, or who found what."""
    axes = ",".join(map(str, job["axes"]))
    checked = subprocess.run([args.faro, "check", source, target, "--axes", axes, "--memory", "1GiB"],
                             capture_output=True, text=True)
    import zarr

    a, b = zarr.open_array(source, mode="r"), zarr.open_array(target, mode="r")
    same = b.shape == turned(job)
    for box in slabs(job, 256 * MIB) if same else ():
        wanted = a[tuple(box[job["axes"].index(k)] for k in range(a.ndim))].transpose(job["axes"])
        same = same and bool((wanted == b[box]).all())
    if (checked.returncode == 0) != same:
        return f"faro says {checked.returncode}, NumPy {same}"
    return "yes" if same else "NO"


def command_of(peer, job, source, target, memory, between, args):
    if peer != "faro":
        python = args.old_python if peer == "rechunker" else sys.executable
        said = json.dumps(dict(job=job, source=source, target=target, memory=memory, between=between))
        return [python, os.path.abspath(__file__), "--child", peer, said]
    words = [args.faro, "rechunk", source, target, "--memory", str(memory), "--threads", "2",
             "--chunks", ",".join(map(str, job["to"])), "--axes", ",".join(map(str, job["axes"])),
             "--codec", "zstd:1" if job["codec"] == "zstd" else "none"]
    return words + (["--shards", ",".join(map(str, job["shards"]))] if job["shards"] else [])


def run_job(name, job, args):
    home = os.path.join(args.folder, f"faro-rechunk-peers-{os.getpid()}")
    os.makedirs(home)
    job = {**job, "codec": args.codec, "python_extra": args.python_extra}
    memory, rows, left_out = args.memory, {}, {}
    try:
        make_sources(job, home, args.old_python)
        for peer in ["faro", *PEERS]:
            if args.only and peer not in args.only:
                continue
            python = args.old_python if peer == "rechunker" else sys.executable
            why = "no --old-python" if not python else None if peer == "faro" else why_not(peer, job, python)
            if why:
                left_out[peer] = why
            else:
                rows[peer] = []
        for _ in range(args.rounds):
            for peer, runs in rows.items():
                if any(run["ended"] for run in runs):
                    continue  # it failed once: nobody waits for it again
                folder = home + "/run"
                os.makedirs(folder + "/between")
                source = home + ("/source2.zarr" if peer == "rechunker" else "/source.zarr")
                target = folder + "/target.zarr"
                forget(source)
                command = command_of(peer, job, source, target, memory, folder + "/between", args)
                limit = memory + (0 if peer == "faro" else args.python_extra)
                run = measured(command, limit, args.limit, folder)
                run["equal"] = "no result" if run["ended"] else equal(job, source, target, args)
                run["disk"] -= 0 if run["ended"] else disk_bytes(target)
                runs.append(run)
                print(f"  {peer}: {run}", file=sys.stderr, flush=True)
                shutil.rmtree(folder)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return rows, left_out


def table(name, job, rows, left_out, args):
    shape = " x ".join(map(str, job["shape"]))
    size = math.prod(job["shape"]) * int(job["dtype"][2:])
    to = " x ".join(map(str, job["to"])) + (f" in shards of {job['shards'][0]}^3" if job["shards"] else "")
    order = ", axes turned round" if job["axes"] != tuple(sorted(job["axes"])) else ""
    print(f"\n{name}: {shape} {job['dtype'][1:]} ({size / 1e9:.2f} GB, {args.codec}), chunks "
          f"{' x '.join(map(str, job['chunks']))} to {to}{order}\n")
    print("| tool | seconds | of processors | peak MiB | with page cache | read GB | written GB | temporary GB "
          "| equal |\n|" + "---|" * 9)
    for peer, runs in rows.items():
        last = runs[-1]
        seconds, processor = (statistics.median(run[key] for run in runs) for key in ("seconds", "processor"))
        most = {key: max(run[key] for run in runs) for key in ("peak", "most", "read", "written", "disk")}
        ended = last["ended"]
        verdict = f"no result: {ended}" if ended else ", ".join(sorted({run["equal"] for run in runs}))
        print(f"| {peer} | {seconds:.1f} | {processor:.1f} | {most['peak'] / MIB:.0f} | {most['most'] / MIB:.0f} | "
              f"{most['read'] / 1e9:.2f} | "
              f"{most['written'] / 1e9:.2f} | {max(0, most['disk']) / 1e9:.2f} | {verdict} |")
    for peer, why in left_out.items():
        print(f"| {peer} | | | | | | | | left out: {why} |")
    if not all(run["capped"] for runs in rows.values() for run in runs):
        print("\nNo control group could be made here: peaks are measured, nothing held the cap.")
    sys.stdout.flush()


def floor(name, job, args):
    """Each part of the work alone: all else of it is in memory. Medians of rounds."""
    import numcodecs
    import numpy as np
    import zarr
    from concurrent.futures import ThreadPoolExecutor

    home = os.path.join(args.folder, f"faro-rechunk-floor-{os.getpid()}")
    os.makedirs(home)
    job = {**job, "codec": args.codec}
    codec = numcodecs.Zstd(1) if args.codec == "zstd" else None
    seconds = {}
    def timed(what, threads, work, items):
        with ThreadPoolExecutor(threads) as pool:
            start, processor = time.perf_counter(), time.process_time()
            made = list(pool.map(work, items))
            seconds.setdefault((what, threads), []).append(
                (time.perf_counter() - start, time.process_time() - processor))
        return made

    def write(numbered):
        with open(f"{home}/made-{numbered[0]}", "wb") as file:
            file.write(b"".join(numbered[1]))
            os.fsync(file.fileno())

    try:
        make_sources(job, home, None)
        a = zarr.open_array(home + "/source.zarr", mode="r")[...].transpose(job["axes"])
        paths = [path for path in pathlib.Path(home, "source.zarr", "c").rglob("*") if path.is_file()]
        to, shape = job["to"], turned(job)
        index = list(np.ndindex(*(-(-n // c) for n, c in zip(shape, to))))

        def together(at):
            part = a[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, to))]
            whole = np.zeros(to, a.dtype)  # what hangs over the end is stored too
            whole[tuple(map(slice, part.shape))] = part
            return whole

        for _ in range(args.rounds):
            for threads in (1, 2):
                forget(home + "/source.zarr")
                stored = timed("read the files", threads, lambda path: path.read_bytes(), paths)
                if codec:
                    timed("decode", threads, codec.decode, stored)
                made = timed("put together", threads, together, index)
                if codec:
                    made = timed("encode", threads, codec.encode, made)
                # Of a file's chunks as many as its shard has.
                each = math.prod(s // c for s, c in zip(job["shards"], to)) if job["shards"] else 1
                files = [made[i : i + each] for i in range(0, len(made), each)]
                timed("write the files, synced", threads, write, enumerate(files))
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print(f"\n{name}, {math.prod(job['shape']) * int(job['dtype'][2:]) / 1e9:.2f} GB, {args.codec}: each part alone\n")
    print("| part | threads | seconds | of processors |\n|" + "---|" * 4)
    for (what, threads), runs in seconds.items():
        took = [statistics.median(run[k] for run in runs) for k in (0, 1)]
        print(f"| {what} | {threads} | {took[0]:.2f} | {took[1]:.2f} |")
    sys.stdout.flush()


def bytes_said(text):
    for unit, times in (("GiB", 1 << 30), ("MiB", MIB), ("KiB", 1 << 10)):
        if text.endswith(unit):
            return int(float(text[: -len(unit)]) * times)
    return int(text)


def main():
    if sys.argv[1:2] == ["--child"]:
        said = json.loads(sys.argv[3])
        job = {key: tuple(x) if isinstance(x, list) else x for key, x in said.pop("job").items()}
        PEERS[sys.argv[2]](job, **said)
        os.sync()
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where sources and results lie; on the disk that is measured")
    parser.add_argument("--gigabytes", type=float, default=0.5, help="of each array; 9 is the real ERA5 job")
    parser.add_argument("--memory", type=bytes_said, default="192MiB", help="the cap")
    parser.add_argument("--python-extra", type=bytes_said, default="256MiB", help="beside it, for Python")
    parser.add_argument("--codec", choices=["none", "zstd"], default="none")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds for one run")
    parser.add_argument("--job", action="append", choices=list(jobs(1e9)), help="only this one")
    parser.add_argument("--only", action="append", metavar="TOOL", help="only this one; faro, cubed, ..")
    parser.add_argument("--floor", action="store_true", help="no tool: each part of the work alone")
    parser.add_argument("--old-python", help="an interpreter with rechunker and zarr 2")
    parser.add_argument("--faro", default=shutil.which("faro") or "build/release/faro", help="the program")
    args = parser.parse_args()
    for name, job in jobs(args.gigabytes * 1e9).items():
        if args.job and name not in args.job:
            continue
        if args.floor:
            floor(name, job, args)
        else:
            table(name, job, *run_job(name, job, args), args)


if __name__ == "__main__":
    main()
