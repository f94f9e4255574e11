"""Rechunks an array by the workers of a Dask cluster; begun again, it goes on.

    python dask_cluster.py maps.zarr series.zarr 365,72,144 [memory]

With dask-jobqueue the cluster is SLURMCluster(cores=1, memory="4GB") and cluster.scale(16).
"""
import sys

import faro.dask
from distributed import LocalCluster


def main(source, target, chunks, memory="1GiB"):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with cluster.get_client() as client:
            report = faro.dask.rechunk(source, target, chunks=chunks, memory=memory, client=client)
    print(report["digest"])


if __name__ == "__main__":
    main(*sys.argv[1:])
