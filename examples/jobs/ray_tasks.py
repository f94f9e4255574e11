"""Rechunks an array by tasks of Ray, which may run a task again; begun again, it goes on.

    python ray_tasks.py maps.zarr series.zarr 365,72,144 [memory]
"""
import sys

import faro
import ray


def main(source, target, chunks, memory="1GiB"):
    plan = faro.rechunk_plan(source, target, chunks=chunks, memory=memory, threads=1)
    ray.init(include_dashboard=False, configure_logging=False)
    run = ray.remote(max_retries=3)(lambda job: job.run())
    for stage in plan.stages:
        run_in = run.options(num_cpus=1, memory=stage.memory_bytes)
        ray.get([run_in.remote(job) for job in stage.remaining])
    print(plan.finish()["digest"])


if __name__ == "__main__":
    main(*sys.argv[1:])
