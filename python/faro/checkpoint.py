"""Tensors of a checkpoint in safetensors files, read where they are asked for.

    tensors = faro.checkpoint.open('llama/')        # a file, an index, or a folder
    w = tensors['model.layers.0.self_attn.q_proj.weight']
    w[:4]                                            # reads 4 rows
    w.under('llama:tp=4', rank=1)                    # reads what rank 1 of 4 holds
    w.to_numpy(), w.to_torch()

    faro.checkpoint.from_dcp('dcp/', 'whole/')       # torch.distributed's; to_dcp, from_orbax, to_orbax

docs/checkpoints.md has more.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _core
from ._errors import UsageError
from ._lending import numpy

__all__ = ["Checkpoint", "Tensor", "from_dcp", "from_orbax", "open", "to_dcp", "to_orbax"]


class Tensor:
    """A tensor in a file. What is sliced out of it is read, and nothing else."""

    def __init__(self, checkpoint: Checkpoint, name: str, facts: list[Any]) -> None:
        self.name = name
        self.dtype, self._numpy, self.itemsize, shape, self.file, self._start = facts
        self.shape = tuple(shape)
        self._checkpoint = checkpoint

    def __repr__(self) -> str:
        return f"<faro.checkpoint.Tensor {self.name} {self.dtype} {list(self.shape)}>"

    def _dtype(self) -> Any:
        np = numpy()
        if self._numpy != "bfloat16" and "_" not in self._numpy:
            return np.dtype(self._numpy).newbyteorder("<")
        try:
            import ml_dtypes
        except ImportError:
            raise UsageError(f"tensor '{self.name}' of {self.dtype}: NumPy has no such elements; "
                             "install ml_dtypes, or take them as .raw()") from None
        return np.dtype(getattr(ml_dtypes, self._numpy))

    def _raw_dtype(self) -> Any:
        return numpy().dtype({1: "u1", 2: "<u2", 4: "<u4", 8: "<u8"}[self.itemsize])

    def _mapped(self, dtype: Any, mode: str = "r", files: dict[str, Any] | None = None) -> Any:
        """`files`: those mapped already, for whoever has many tensors: a mapping keeps a descriptor."""
        np = numpy()
        if 0 in self.shape:
            return np.empty(self.shape, dtype)
        if files is None:
            return np.memmap(self.file, dtype, mode, self._start, self.shape)
        if self.file not in files:
            files[self.file] = np.memmap(self.file, "u1", mode)
        end = self._start + self.itemsize * math.prod(self.shape)
        return files[self.file][self._start:end].view(dtype).reshape(self.shape)

    def _taken(self, dtype: Any, index: Any) -> Any:
        return numpy().array(self._mapped(dtype)[index])

    def raw(self, index: Any = ...) -> Any:
        """Elements as unsigned integers of their size, for types that NumPy does not have."""
        return self._taken(self._raw_dtype(), index)

    def __getitem__(self, index: Any) -> Any:
        return self._taken(self._dtype(), index)

    def to_numpy(self) -> Any:
        """The whole tensor."""
        return self[...]

    def to_torch(self, index: Any = ...) -> Any:
        """A slice as a tensor of torch, of the same element type."""
        return self._torch(self.raw(index))

    def _torch(self, raw: Any) -> Any:
        import torch

        kind = getattr(torch, self._numpy, None)
        if kind is None:
            raise UsageError(f"tensor '{self.name}': this torch has no {self._numpy}")
        signed = torch.from_numpy(raw.view(raw.dtype.str.replace("u", "i")))
        return signed.view(kind)

    def under(self, layout: str, rank: int) -> Any:
        """What a rank of a layout holds of this tensor; None where it holds nothing of it."""
        share = _core.checkpoint_share(self._checkpoint._path, layout, rank, self.name)
        if share is None:
            return None
        shape, parts = share
        whole = self._mapped(self._dtype())
        local = numpy().zeros(shape, whole.dtype)
        for start, at, extent in parts:
            local[tuple(slice(s, s + n) for s, n in zip(at, extent))] = \
                whole[tuple(slice(s, s + n) for s, n in zip(start, extent))]
        return local


class Checkpoint(Mapping[str, Tensor]):
    """The tensors of a checkpoint by their names."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fsencode(path)
        self._tensors = {
            name: Tensor(self, name, facts)
            for name, *facts in _core.checkpoint_tensors(self._path)
        }

    def __getitem__(self, name: str) -> Tensor:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __repr__(self) -> str:
        return f"<faro.checkpoint.Checkpoint {os.fsdecode(self._path)}, {len(self)} tensors>"


def open(path: str | os.PathLike[str], /) -> Checkpoint:
    """A file, an index, or a folder with one of them; headers are read, and no tensor."""
    return Checkpoint(path)


# Behind what it uses.
from ._exchange import from_dcp, from_orbax, to_dcp, to_orbax  # noqa: E402
