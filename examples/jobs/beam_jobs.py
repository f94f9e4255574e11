"""Rechunks an array by a pipeline of Beam for each stage.

    python beam_jobs.py maps.zarr series.zarr 365,72,144 [memory]
"""
import sys

import apache_beam as beam
import faro


def main(source, target, chunks, memory="1GiB"):
    plan = faro.rechunk_plan(source, target, chunks=chunks, memory=memory, threads=1)
    for stage in plan.stages:
        texts = [job.to_json() for job in stage.remaining]
        with beam.Pipeline() as pipeline:  # ends when all jobs of the stage are done
            (pipeline | beam.Create(texts) | beam.Reshuffle()
             | beam.Map(lambda text: faro.Job.from_json(text).run().number))
    print(plan.finish()["digest"])


if __name__ == "__main__":
    main(*sys.argv[1:])
