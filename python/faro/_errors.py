"""Errors; each is a builtin exception too, so that code which knows nothing of faro can catch it."""

from __future__ import annotations

import contextlib


class Error(Exception):
    """What faro refuses, and why."""


class NotationError(Error, ValueError):
    """A text that is no map; its message marks the place."""

    text: str = ""
    column: int = 0
    fault: str = ""
    reason: str = ""


class NotAffine(Error, ValueError):
    """A table that no bit map says: the first index that denies it."""

    index: int = 0
    got: int = 0
    expected: int = 0


class NotExpressible(Error, ValueError):
    """A layout that no map says, or a map that another system cannot say."""

    system: str = ""
    reason: str = ""


class Impossible(Error, ValueError):
    """No such thing exists, or it is beyond a stated maximum."""


class UsageError(Error, ValueError):
    """An argument contradicts another one."""


class EnvironmentFault(Error, OSError):
    """A file, the disk, memory."""


class Refused(Error):
    """A proof or a comparison said no."""

    violations: tuple = ()


@contextlib.contextmanager
def told_of(where):
    """What other packages throw becomes an error that says of which file or store."""
    try:
        yield
    except (Error, MemoryError):
        raise
    except Exception as error:
        raise EnvironmentFault(f"{where}: {type(error).__name__}: {error}") from error


for _class in (
    Error,
    NotationError,
    NotAffine,
    NotExpressible,
    Impossible,
    UsageError,
    EnvironmentFault,
    Refused,
):
    _class.__module__ = "faro"
