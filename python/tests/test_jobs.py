"""Rechunking as jobs without an engine: in any order, twice, twice at once, killed; pickled and as JSON."""

import json
import os
import pathlib
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import faro
import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")

# Planes to columns in two passes, within so little memory that each has several jobs.
SHAPE, MEMORY = (200, 120, 130), "53MiB"


@pytest.fixture
def source(tmp_path):
    a = np.random.default_rng(3).integers(0, 2**32, SHAPE, np.uint32)
    path = tmp_path / "in.zarr"
    z = zarr.create_array(path, shape=a.shape, chunks=(1, 120, 130), dtype=a.dtype, compressors=None)
    z[...] = a
    return a, path


def plan_of(path, target, **more):
    return faro.rechunk_plan(path, target, **{"chunks": (200, 12, 13), "memory": MEMORY, "passes": 2, "threads": 1,
                                              **more})


def is_right(a, target, report):
    return (np.array_equal(zarr.open_array(target, mode="r")[...], a)
            and report["digest"] == faro.digest(a) and not list(target.parent.glob(".*faro*")))


def test_a_job_is_small_and_says_itself(source, tmp_path):
    _, path = source
    stages = plan_of(path, tmp_path / "out.zarr").stages
    assert len(stages) == 2 and len(stages[0]) > 2
    job = stages[1][-1]
    assert len(pickle.dumps(job)) < 500
    assert pickle.loads(pickle.dumps(job)) == job == faro.Job.from_json(job.to_json())
    assert 0 < job.memory_bytes <= 53 << 20
    for text in ("", "[]", "{}", job.to_json().replace("/1", "/2"), '{"format": "faro-job/1"}',
                 json.dumps({**json.loads(job.to_json()), "number": "3"})):
        with pytest.raises(faro.UsageError):
            faro.Job.from_json(text)


def test_any_order_and_every_job_twice(source, tmp_path):
    a, path = source
    target = tmp_path / "out.zarr"
    plan = plan_of(path, target)
    results = []
    for stage in plan.stages:
        jobs = list(stage) * 2
        random.Random(5).shuffle(jobs)
        results += [job.run(again=True) for job in jobs]
        assert list(stage.remaining) == []
        assert stage[0].run().was_done
        stage.finish()
    assert sum(r.bytes_written for r in results) == 2 * a.nbytes
    assert is_right(a, target, plan.finish(results))


def test_two_processes_at_once_do_the_same_jobs(source, tmp_path):
    a, path = source
    target = tmp_path / "out.zarr"
    plan = plan_of(path, target)
    with ProcessPoolExecutor(2) as pool:
        for stage in plan.stages:
            both = [pool.submit(faro.Job.run, job, again=True) for job in stage for _ in range(2)]
            assert len({f.result()[:5] for f in both}) == len(stage)
    assert is_right(a, target, plan.finish())


def test_resumed_by_another_plan_object(source, tmp_path):
    a, path = source
    target = tmp_path / "out.zarr"
    first = plan_of(path, target).stages
    for job in first[0]:
        job.run()
    first[1][0].run()
    again = plan_of(path, target)
    left = again.stages
    assert [len(stage.remaining) for stage in left] == [0, len(left[1]) - 1]
    with pytest.raises(faro.UsageError, match="jobs of stage 1 are not done"):
        again.finish()
    for job in left[1].remaining:
        job.run()
    assert is_right(a, target, again.finish())


def test_a_lost_file_is_made_again(source, tmp_path):
    a, path = source
    target = tmp_path / "out.zarr"
    plan = plan_of(path, target)
    for job in plan.stages[0]:
        job.run()
    gone = tmp_path / ".out.zarr.faro-shared" / "pass1-1"
    gone.unlink()
    with pytest.raises(faro.UsageError, match="all jobs of a stage"):
        [job.run() for job in plan.stages[1]]
    assert [job.number for job in plan.stages[0].remaining] == [1]
    for stage in plan.stages:
        for job in stage.remaining:
            job.run()
    assert is_right(a, target, plan.finish())


@pytest.mark.parametrize("where", ["folder", "store"])
def test_a_lost_chunk_of_the_output_is_made_again(where, source, tmp_path):
    """Between its job and finish() somebody takes a file away: one chunk, in one pass and in two."""
    from zarr.storage import MemoryStore

    a, path = source
    for passes in (1, 2):
        target = tmp_path / f"out-{passes}.zarr" if where == "folder" else MemoryStore()
        words = {} if where == "folder" else {"temporary": tmp_path / f"t{passes}"}
        plan = plan_of(path, target, passes=passes, memory="80MiB" if passes == 2 else "1GiB", **words)
        for stage in plan.stages:
            for job in stage:
                job.run()
        assert not any(list(stage.remaining) for stage in plan.stages)
        if where == "folder":
            files = sorted(f for f in (tmp_path / f".{target.name}.faro-shared" / "data" / "c").rglob("*") if f.is_file())
            assert len(files) > 3
            files[len(files) // 2].unlink()
        else:
            keys = sorted(target._store_dict)
            assert len(keys) > 3
            del target._store_dict[keys[len(keys) // 2]]
        with pytest.raises(faro.UsageError, match="jobs of stage . are not done"):
            plan.finish()
        assert len(list(plan.stages[-1].remaining)) == 1
        for stage in plan.stages:
            for job in stage.remaining:
                assert not job.run().was_done
        assert plan.finish()["digest"] == faro.digest(target) == faro.digest(path)


def test_refuses_what_is_not_its_plan(source, tmp_path):
    a, path = source
    target = tmp_path / "out.zarr"
    plan = plan_of(path, target)
    job = plan.stages[0][0]
    with pytest.raises(faro.UsageError, match="another request"):
        plan_of(path, target, chunks=(200, 24, 13)).stages
    with pytest.raises(faro.UsageError, match="which this job is of"):
        job._replace(plan="0" * 32).run()
    with pytest.raises(faro.UsageError, match="of 2"):
        job._replace(stage=2).run()
    with pytest.raises(faro.UsageError, match="in stage 0"):
        job._replace(number=10**9).run()
    with pytest.raises(faro.UsageError, match="finished, or"):
        job._replace(folder=str(tmp_path)).run()
    plan.discard()
    with pytest.raises(faro.UsageError, match="finished, or"):
        job.run()
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(faro.UsageError, match="without a target"):
        faro.rechunk_plan(path, chunks=8).stages
    # The shares of all jobs are wanted, and their sums must agree.
    results = [job.run() for stage in plan_of(path, target).stages for job in stage]
    with pytest.raises(faro.UsageError, match="results of"):
        plan.finish(results[1:])
    with pytest.raises(faro.Refused, match="not the same"):
        plan.finish(results[:-1] + [results[-1]._replace(digest_written=1)])
    assert not target.exists()
    assert is_right(a, target, plan.finish(results))
    with pytest.raises(faro.UsageError, match="finished, or"):
        job.run()


def test_a_changed_source_is_seen(source, tmp_path):
    _, path = source
    plan = plan_of(path, tmp_path / "out.zarr")
    stages = plan.stages
    stages[0][0].run()
    zarr.open_array(path)[0, 0, 0] += 1
    for stage in stages:
        for job in stage.remaining:
            job.run()
    with pytest.raises(faro.EnvironmentFault, match="was changed"):
        plan.finish()


RUNS = """
import sys, faro
job = faro.Job.from_json(sys.stdin.read())
print("go", flush=True)
while True:
    job.run(again=True)
"""


def test_killed_at_any_moment(source, tmp_path):
    a, path = source
    target = tmp_path / "out.zarr"
    plan = plan_of(path, target)
    for stage in plan.stages:
        for k in range(3):
            process = subprocess.Popen([sys.executable, "-c", RUNS], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            process.stdin.write(stage[k % len(stage)].to_json())
            process.stdin.close()
            assert process.stdout.readline() == "go\n"
            try:
                process.wait(timeout=random.Random(k).random() / 20)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        for job in stage.remaining:
            job.run()
    assert is_right(a, target, plan.finish())


@pytest.mark.parametrize("stage", [0, 1])
def test_a_job_that_comes_late_leaves_nothing(source, tmp_path, stage):
    """Stopped at some moment, while others finish; then it goes on."""
    a, path = source
    target = tmp_path / "out.zarr"
    for k in range(20 if os.environ.get("FARO_FULL") else 3):
        plan = plan_of(path, target)
        for job in plan.stages[0]:
            job.run()
        late = subprocess.Popen([sys.executable, "-c", RUNS], text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        late.stdin.write(plan.stages[stage][k % 3].to_json())
        late.stdin.close()
        assert late.stdout.readline() == "go\n"
        time.sleep(random.Random(k).random() / 50)
        late.send_signal(signal.SIGSTOP)
        for one in plan.stages:
            for job in one.remaining:
                job.run()
        plan.finish()
        late.send_signal(signal.SIGCONT)
        said = late.stderr.read()
        assert late.wait() == 1 and "faro" in said
        assert sorted(p.name for p in tmp_path.iterdir()) == ["in.zarr", "out.zarr"], said
        assert np.array_equal(zarr.open_array(target, mode="r")[...], a), said
        shutil.rmtree(target)


@pytest.mark.parametrize("name, order", [("out.npy", "C"), ("out.npy", "F"), ("one_pass.zarr", "C")])
def test_plain_files_and_single_passes(source, tmp_path, name, order):
    a, path = source
    target = tmp_path / name
    chunks = None if name.endswith("npy") else (200, 12, 13)
    plan = faro.rechunk_plan(path, target, chunks=chunks, axes=(2, 0, 1) if chunks is None else None,
                             memory="55MiB" if chunks is None else "1GiB", threads=1, order=order)
    with ThreadPoolExecutor(2) as pool:
        for stage in plan.stages:
            list(pool.map(faro.Job.run, list(stage) * 2))
    report = plan.finish()
    if chunks is not None:
        assert is_right(a, target, report)
        return
    assert np.array_equal(np.load(target), a.transpose(2, 0, 1)) and report["digest"] == faro.digest(target)


def test_ten_million_chunks_are_ranges(tmp_path):
    """Only what the array says of itself is there: nothing of it is read, and no job is made."""
    zarr.create_array(tmp_path / "in.zarr", shape=(10**7, 64, 64), chunks=(1, 64, 64), dtype="f4")
    plan = faro.rechunk_plan(tmp_path / "in.zarr", tmp_path / "out.zarr", chunks=(1000, 8, 8),
                             memory="256MiB", threads=1)
    stages = plan.stages
    assert sum(map(len, stages)) > 500
    assert stages[-1][len(stages[-1]) - 1].number == len(stages[-1]) - 1
    assert sum(os.path.getsize(p) for p in pathlib.Path(stages[0][0].folder).iterdir()) < 10000
    plan.discard()


# --- the examples of docs/jobs.md

EXAMPLES = pathlib.Path(os.environ.get("FARO_DOCS", pathlib.Path(__file__).parents[2] / "docs")).parent
EXAMPLES = EXAMPLES / "examples" / "jobs"


@pytest.mark.parametrize("name, needs", [("futures", None), ("dask_cluster", "distributed"),
                                         ("ray_tasks", "ray"), ("spark_jobs", "pyspark"),
                                         ("beam_jobs", "apache_beam")])
def test_examples(source, tmp_path, name, needs):
    a, path = source
    if needs:
        pytest.importorskip(needs)
        if name in ("spark_jobs", "beam_jobs") and not os.environ.get("FARO_FULL"):
            pytest.skip("these engines are begun with FARO_FULL=1")
    target = tmp_path / "out.zarr"
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", path, target, "200,12,13", MEMORY],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert is_right(a, target, {"digest": done.stdout.split()[-1]})


def test_a_job_array_two_of_whose_tasks_are_killed(source, tmp_path):
    a, path = source
    beside = pathlib.Path(sys.executable).with_name("faro")
    program = os.environ.get("FARO") or (str(beside) if beside.exists() else shutil.which("faro"))
    if not program:
        pytest.skip("the program faro is not there")
    target = tmp_path / "out.zarr"

    def task(i):
        return subprocess.Popen(
            ["sh", EXAMPLES / "slurm.sh", path, target, "200,12,13", MEMORY], stdout=subprocess.PIPE,
            env={**os.environ, "FARO": program, "SLURM_ARRAY_TASK_ID": str(i)}, text=True)

    # Two wait for those that died, whose tasks are then submitted again.
    time.sleep(0.1)
    tasks = [task(i) for i in range(4)]
    for i in (1, 2):
        tasks[i].kill()
        tasks[i].wait()
        tasks[i] = task(i)
    said = [one.communicate()[0] for one in tasks]
    assert [one.returncode for one in tasks] == [0] * 4
    assert np.array_equal(zarr.open_array(target, mode="r")[...], a)
    assert faro.digest(a) in said[0]
