#!/usr/bin/env bash
# wheel_used.sh FOLDER [PYTHON]: installs the wheel in FOLDER into an empty environment, without a compiler, and uses it.
set -euo pipefail
folder=$(realpath "${1:?usage: .ci/wheel_used.sh FOLDER [PYTHON]}") python=${2:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv "$scratch/env"
cd "$scratch"
CXX=false env/bin/pip install -q numpy
CXX=false env/bin/pip install -q --no-index --find-links "$folder" faro-layouts
env/bin/python -c 'import numpy as np, faro
assert (faro.permute(np.arange(8), "bit-reversal") == [0, 4, 2, 6, 1, 5, 3, 7]).all()
np.save("a.npy", np.arange(16))'
env/bin/faro permute a.npy b.npy --map 'i -> rev(i)' --verify
env/bin/python -c 'import numpy as np
assert np.load("b.npy")[1] == 8'
echo "used: the package and the program"
