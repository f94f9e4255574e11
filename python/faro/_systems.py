"""Other systems' objects: read as their words where they have some, probed where they are code."""

from __future__ import annotations

import operator

from . import _core
from ._errors import NotExpressible


def _shape(shape):
    if shape is None:
        return None
    sides = [operator.index(n) for n in ((shape,) if hasattr(shape, "__index__") else shape)]
    if any(not 0 < n < 1 << 64 for n in sides):
        raise ValueError(f"shape {tuple(sides)}: sides are 1 to 2^64 - 1")
    return sides


def words_of(source):
    """SYSTEM:WORDS of an object, or nothing."""
    module = type(source).__module__.partition(".")[0]
    name = type(source).__name__
    if module in ("jax", "jaxlib") and name == "NamedSharding":
        devices = [d.id for d in source.mesh.devices.flat]
        axes = " ".join(f"{n}={s}" for n, s in zip(source.mesh.axis_names, source.mesh.devices.shape))
        spec = ", ".join(_entry(e) for e in source.spec)
        return f"jax:mesh {axes}, P({spec}), devices={devices}"
    if module in ("jax", "jaxlib") and name == "HloSharding":
        return f"xla:{source}"
    if module == "torch" and hasattr(source, "placements") and hasattr(source, "device_mesh"):
        return _dtensor(source.device_mesh, source.placements)
    if isinstance(source, tuple) and len(source) == 2 and type(source[0]).__name__ == "DeviceMesh":
        return _dtensor(*source)
    if module == "triton" and name == "LinearLayout":
        return f"triton:{source}"
    if module == "triton" and name == "DistributedLinearLayout":
        bases = (f"{dim} = {getattr(source, attribute)}" for dim, attribute in (
            ("register", "reg_bases"), ("lane", "lane_bases"), ("warp", "warp_bases"),
            ("block", "block_bases")))
        return f"triton:{{{', '.join(bases)}}}"
    if module == "qiskit" and hasattr(source, "num_qubits"):
        return qiskit_words(source)
    return None


def _entry(entry):
    if entry is None:
        return "None"
    if isinstance(entry, str):
        return f"'{entry}'"
    if isinstance(entry, (tuple, list)):
        return "(" + ", ".join(f"'{e}'" for e in entry) + ("," if len(entry) == 1 else "") + ")"
    return "P.UNCONSTRAINED"


def _dtensor(mesh, placements):
    words = []
    for p in placements:
        kind = type(p).__name__
        if kind == "Shard":
            words.append(f"Shard({p.dim})")
        elif kind == "_StridedShard":
            words.append(f"_StridedShard({p.dim}, sf={p.split_factor})")
        else:
            words.append("Replicate()" if kind == "Replicate" else "Partial()")
    return f"dtensor:DeviceMesh({mesh.mesh.tolist()}) [{', '.join(words)}]"


def qiskit_words(circuit):
    """A QuantumCircuit or gate as qiskit: words."""
    if not hasattr(circuit, "data"):
        circuit = circuit.definition
    gates = [f"qubits {circuit.num_qubits}"]
    for instruction in circuit.data:
        operation = instruction.operation
        qubits = [circuit.find_bit(q).index for q in instruction.qubits]
        if operation.name == "permutation":
            gates.append(f"PermutationGate({[int(k) for k in operation.pattern]}, {qubits})")
        elif operation.name == "linear_function":
            for inner in operation.definition.data:
                where = [operation.definition.find_bit(q).index for q in inner.qubits]
                gates.append(f"{inner.operation.name}({', '.join(str(qubits[k]) for k in where)})")
        else:
            gates.append(f"{operation.name}({', '.join(map(str, qubits))})")
    return "qiskit:" + "; ".join(gates)


def write(m, system, options):
    """The words of a map; `object=True` makes the system's own object of them where it has one."""
    shape = _shape(options.pop("shape", None))
    as_object = options.pop("object", False)
    if options:
        raise TypeError(f"unknown options: {', '.join(options)}")
    words = _core.write_map(m, system, shape)
    if not as_object:
        return words
    if system == "qiskit":
        from qiskit import QuantumCircuit

        return QuantumCircuit.from_qasm_str(_core.write_map(m, "qasm", shape))
    raise NotExpressible(f"{system}: faro makes words for it, no object")
