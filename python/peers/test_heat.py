"""Heat's resplit done by faro: equal parts on every rank, bit by bit.

Skipped where Heat (with torch) is not installed or no MPI has a launcher.
"""

import pathlib
import sys

import pytest

pytest.importorskip("heat", reason="Heat is not installed: ./test --peers --torch installs it")

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
from test_mpi import launch  # noqa: E402, F401


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_resplit_gives_heats_own_parts(launch, ranks):  # noqa: F811
    done = launch.program(ranks, str(pathlib.Path(__file__).with_name("heat_ranks.py")))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": right") == ranks
