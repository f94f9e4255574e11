#!/usr/bin/env bash
# wheel_used.sh FOLDER [PYTHON]: installs the wheel in FOLDER into an empty environment, without a compiler, and uses it.
# wheel_used.sh --arm64 FOLDER: that of arm64, by qemu and the Python in the root that packaging/wheel.sh made.
set -euo pipefail
arch=
if [ "${1:-}" = --arm64 ]; then arch=arm64 && shift; fi
folder=$(realpath "${1:?usage: .ci/wheel_used.sh [--arm64] FOLDER [PYTHON]}") python=${2:-python3}
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv "$scratch/env"
cd "$scratch"
if [ -z "$arch" ]; then
  CXX=false env/bin/pip install -q numpy
  CXX=false env/bin/pip install -q --no-index --find-links "$folder" faro-layouts
  run() { "$scratch/env/bin/$1" "${@:2}"; }
else
  . "$here/../scripts/setup.sh"
  . "$here/../scripts/cross.sh"
  faro_need qemu-user-static
  processor=$(faro_processor $arch) root=$faro_cross/$arch
  # As pip on a machine of Debian 12, whose C library is 2.36, chooses wheels.
  taken=(--platform "manylinux2014_$processor")
  for minor in {17..36}; do taken+=(--platform "manylinux_2_${minor}_$processor"); done
  for_it() { env/bin/pip install -q --only-binary=:all: --python-version 3.11 --implementation cp "${taken[@]}" "$@"; }
  for_it --target needed numpy
  for_it --target site --no-index --no-deps --find-links "$folder" faro-layouts
  run() {
    local program=site/faro_layouts.scripts/$1  # what bin/faro calls, which is a script
    if [ "$1" = python ]; then program=$root/usr/bin/python3.11; fi
    "qemu-$processor-static" -L "$root" -E PYTHONPATH="$scratch/site:$scratch/needed" "$program" "${@:2}"
  }
fi
run python -c 'import numpy as np, faro
assert (faro.permute(np.arange(8), "bit-reversal") == [0, 4, 2, 6, 1, 5, 3, 7]).all()
assert (faro.contiguous(np.arange(12).reshape(3, 4).T) == np.arange(12).reshape(3, 4).T).all()
np.save("a.npy", np.arange(16))'
run faro permute a.npy b.npy --map 'i -> rev(i)' --verify
run python -c 'import numpy as np
assert np.load("b.npy")[1] == 8'
run python -c 'import platform; print("used on " + platform.machine() + ": the package and the program")'
