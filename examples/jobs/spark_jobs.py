"""Rechunks an array by the executors of Spark; speculative copies of tasks are harmless.

    spark-submit spark_jobs.py maps.zarr series.zarr 365,72,144 [memory]
"""
import sys

import faro
from pyspark.sql import SparkSession


def main(source, target, chunks, memory="1GiB"):
    plan = faro.rechunk_plan(source, target, chunks=chunks, memory=memory, threads=1)
    context = SparkSession.builder.appName("faro").getOrCreate().sparkContext
    for stage in plan.stages:
        texts = [job.to_json() for job in stage.remaining]
        if texts:  # an action ends when all tasks have
            context.parallelize(texts, len(texts)).foreach(lambda text: faro.Job.from_json(text).run())
    print(plan.finish()["digest"])


if __name__ == "__main__":
    main(*sys.argv[1:])
