"""Rearrange arrays by maps on index bits.

>>> import numpy as np, faro
>>> x = np.arange(8)
>>> faro.permute(x, 'bit-reversal')
array([0, 4, 2, 6, 1, 5, 3, 7])
>>> faro.permute(x, 'i -> gray(i)')              # element i goes to gray(i)
array([0, 1, 3, 2, 7, 6, 4, 5])
"""

import sys

from ._core import __version__
from ._errors import (
    EnvironmentFault,
    Error,
    Impossible,
    NotAffine,
    NotationError,
    NotExpressible,
    Refused,
    UsageError,
)
from ._maps import BitMap
from ._arrays import contiguous, permute, rearrange, set_threads
from ._check import Mismatch, check
from ._permute_plan import PermutePlan
from ._placements import Move, Placement, Traffic
from ._schedules import (
    Bound,
    Considered,
    Paper,
    MachinePlan,
    PlacedPlan,
    Transformed,
    Verdict,
    Violation,
    plan,
    transform,
    verify,
)
from ._files import FileReport, permute_file, resume_file, unfinished_file
from ._jobs import Job, JobResult, RechunkPlan, ReshardPlan, Stage
from ._reshard import reshard, reshard_plan
from ._stored import digest, rechunk, rechunk_plan

# ds.faro, where xarray is there already; else `import faro.xarray` makes it.
if hasattr(sys.modules.get("xarray"), "register_dataset_accessor"):
    from . import xarray

__all__ = [
    "BitMap",
    "Bound",
    "Considered",
    "EnvironmentFault",
    "Error",
    "FileReport",
    "Impossible",
    "Job",
    "JobResult",
    "Mismatch",
    "Move",
    "NotAffine",
    "NotExpressible",
    "NotationError",
    "Paper",
    "PlacedPlan",
    "Placement",
    "PermutePlan",
    "RechunkPlan",
    "ReshardPlan",
    "Refused",
    "MachinePlan",
    "Stage",
    "Traffic",
    "Transformed",
    "UsageError",
    "Verdict",
    "Violation",
    "check",
    "contiguous",
    "digest",
    "permute",
    "permute_file",
    "plan",
    "rearrange",
    "rechunk",
    "rechunk_plan",
    "reshard",
    "reshard_plan",
    "resume_file",
    "set_threads",
    "transform",
    "unfinished_file",
    "verify",
    "__version__",
]
