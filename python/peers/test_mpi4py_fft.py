"""mpi4py-fft's parallel transforms with its transposes done by faro: equal results, bit by bit.

Skipped where mpi4py-fft cannot be installed (it needs FFTW's headers) or no MPI has a launcher.
"""

import pathlib
import sys

import pytest

pytest.importorskip("mpi4py_fft", reason="mpi4py-fft is not installed: pip install mpi4py-fft")

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from test_mpi import launch  # noqa: E402, F401


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_transforms_are_those_of_its_own_transposes(launch, ranks):  # noqa: F811
    done = launch.program(ranks, str(pathlib.Path(__file__).with_name("mpi4py_fft_ranks.py")))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": right") == ranks
