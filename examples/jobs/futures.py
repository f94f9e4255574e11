"""Rechunks an array by the processes of one machine; begun again, it goes on.

    python futures.py maps.zarr series.zarr 365,72,144 [memory]
"""
import sys
from concurrent.futures import ProcessPoolExecutor

import faro


def main(source, target, chunks, memory="1GiB"):
    plan = faro.rechunk_plan(source, target, chunks=chunks, memory=memory, threads=1)
    with ProcessPoolExecutor() as pool:
        for stage in plan.stages:  # all jobs of a stage, then the next
            for result in pool.map(faro.Job.run, stage.remaining):
                print(f"stage {result.stage} job {result.number}: {result.reads} reads")
    print(plan.finish()["digest"])


if __name__ == "__main__":
    main(*sys.argv[1:])
