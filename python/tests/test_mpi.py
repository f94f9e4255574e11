"""faro.mpi on real processes, with every MPI that is here: random moves against lists of every index,
errors that all ranks raise alike, a rank that is interrupted, one that dies.

Skipped where mpi4py or the launcher of an MPI is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py", reason="mpi4py is not installed: pip install mpi4py")

script = pathlib.Path(__file__).with_name("mpi_ranks.py")
# More ranks than cores, as root where tests run so.
quiet = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "HWLOC_COMPONENTS": "-opencl",
}


def launched(mpi, folder, ranks, *arguments):
    launcher = shutil.which(f"mpirun.{mpi}")
    if launcher is None:
        pytest.skip(f"there is no mpirun.{mpi}")
    environment = {**os.environ, **quiet, "MPI4PY_MPIABI": mpi}
    if mpi == "mpich":
        # Debian has MPICH's library under a name of its own.
        for library in pathlib.Path("/usr/lib").glob("*/libmpich.so.12"):
            (folder / "libmpi.so.12").symlink_to(library)
            environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}"
            break
    return subprocess.run([launcher, "-n", str(ranks), sys.executable, *arguments], env=environment,
                          capture_output=True, text=True, timeout=1800, check=False)


@pytest.fixture(params=["openmpi", "mpich"], scope="module")
def launch(request, tmp_path_factory):
    def program(ranks, *arguments):
        return launched(request.param, tmp_path_factory.mktemp("mpi"), ranks, *arguments)

    def start(ranks, *arguments):
        return program(ranks, str(script), *arguments)

    start.program = program
    asked = launched(request.param, tmp_path_factory.mktemp("mpi"), 2, "-c",
                     "from mpi4py import MPI; assert MPI.COMM_WORLD.size == 2")
    if asked.returncode != 0:
        pytest.skip(f"mpi4py does not run with {request.param}: {asked.stderr[-200:]}")
    return start


@pytest.mark.parametrize("ranks", [1, 3, 7] if os.environ.get("FARO_FULL") == "1" else [3, 7])
def test_random_moves_are_those_of_the_index_lists(launch, ranks):
    count = 400 if os.environ.get("FARO_FULL") == "1" else 20
    done = launch(ranks, "moves", str(count))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": right") == ranks


def test_errors_are_raised_by_all_ranks_alike(launch):
    done = launch(3, "errors")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": right") == 3


@pytest.mark.parametrize("ranks", [1, 4, 8] if os.environ.get("FARO_FULL") == "1" else [4])
def test_registers_of_qubits_equal_a_dense_simulation(launch, ranks):
    done = launch(ranks, "registers", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": right") == ranks


def test_a_rank_that_is_interrupted_stops_all(launch):
    done = launch(3, "stops")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": right") == 3


def test_a_rank_that_dies_ends_the_job(launch):
    done = launch(3, "dies")
    assert done.returncode != 0
    assert ": right" not in done.stdout


@pytest.mark.parametrize("page, name, ranks", [("distributed.md", "rows.py", 3), ("for-hpc.md", "blocks.py", 6)])
def test_pages_say_what_their_programs_print(launch, tmp_path, page, name, ranks):
    text = (pathlib.Path(os.environ.get("FARO_DOCS", script.parents[2] / "docs")) / page).read_text()
    program = re.search(rf"```python\n(# {name}.*?)```", text, re.DOTALL)[1]
    (tmp_path / name).write_text(program)
    wanted = re.search(rf"    \$ mpirun -n {ranks} python {name}\n((    .*\n)+)", text)[1]
    done = launch.program(ranks, str(tmp_path / name))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split("\n")) == sorted(line[4:] for line in wanted.split("\n"))


def test_the_example_equals_a_dense_simulation(launch):
    done = launch.program(4, str(script.parents[2] / "examples" / "mpi" / "register.py"), "12")
    assert done.returncode == 0, done.stderr
    assert "12 qubits on 4 ranks: 40 gates" in done.stdout
