#!/bin/sh
#SBATCH --array=0-3
#SBATCH --mem=3G
# Rechunks an array by a job array of Slurm. Submitted again after a failure, it does what is left.
#
#     sbatch slurm.sh maps.zarr series.zarr 365,72,144 2GiB
#
# Every task waits for the others between the passes: an array must fit the cluster as a whole.
# Without Slurm: for i in 0 1 2 3; do SLURM_ARRAY_TASK_ID=$i sh slurm.sh .. & done; wait
exec "${FARO:-faro}" rechunk "$1" "$2" --chunks "$3" --memory "${4:-2GiB}" --threads 1 \
  --worker "$SLURM_ARRAY_TASK_ID/4"
