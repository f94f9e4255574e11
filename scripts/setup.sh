# Sourced by ./run, ./test and .ci/run: installs what is missing with apt and configures a build.
# Nothing here touches the network when everything is installed.

faro_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The packages of Debian 12 and later, and of Ubuntu, by what needs them. Asking for `clang` would do
# for newer systems; where the numbered package is gone the plain one is taken.
packages_libraries="libfmt-dev nlohmann-json3-dev libhwy-dev libcli11-dev libzstd-dev libblosc-dev zlib1g-dev liblz4-dev"
packages_tested_with="libgtest-dev librapidcheck-dev libfftw3-dev"
packages_build="g++ cmake ninja-build pkg-config $packages_libraries"
packages_test="$packages_tested_with python3 python3-numpy"
packages_ci="git clang-14 clang-format-14 libclang-rt-14-dev llvm-14 libc++-14-dev libc++abi-14-dev libbenchmark-dev libeigen3-dev valgrind"
packages_python="python3-venv python3-pip python3-dev"
# Both MPIs, side by side; the component mpi is not part of ./run or ./test.
packages_mpi="libopenmpi-dev openmpi-bin libmpich-dev mpich"
# The page: the library as WebAssembly; and a browser to test it in.
packages_page="emscripten python3"
packages_browser="chromium chromium-driver python3-venv"
# The site, and the colours of the code in it.
packages_site="mkdocs python3-pygments"
# What exports are read back with.
packages_readers="python3 python3-networkx python3-protobuf protobuf-compiler graphviz"
# What kernels are run by without a GPU.
packages_opencl="python3 python3-numpy python3-pyopencl pocl-opencl-icd oclgrind"

faro_installed() {
  dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

# faro_need PACKAGE...: installs those that are missing, saying which.
faro_need() {
  local missing="" package
  for package in "$@"; do faro_installed "$package" || missing+=" $package"; done
  [ -n "$missing" ] || return 0
  local as_root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "faro needs these packages; install them as root:$missing" >&2
      exit 3
    }
    as_root=sudo
  fi
  echo "installing:$missing"
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  local wanted=""
  for package in $missing; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      wanted+=" $package"
    else
      wanted+=" ${package/-14/}"
    fi
  done
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    $wanted >"${TMPDIR:-/tmp}/faro-apt.log" 2>&1 || {
    tail -20 "${TMPDIR:-/tmp}/faro-apt.log" >&2
    echo "apt could not install:$wanted" >&2
    exit 3
  }
}

# faro_progress LOG: what a build says goes to LOG; how far it is, and how long it may take, is shown:
# on a terminal in one line, else after every tenth part.
faro_progress() {
  local line done all left tenth said=0 began=$SECONDS
  : >"$1"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    [ "$done" -gt 0 ] || continue
    left=$(((SECONDS - began) * (all - done) / done)) tenth=$((done * 10 / all))
    if [ -t 1 ]; then
      printf '\r\e[K  %d of %d files, about %d:%02d left' "$done" "$all" $((left / 60)) $((left % 60))
    elif [ $tenth -gt $said ]; then
      said=$tenth
      printf '  %d of %d files, about %d:%02d left\n' "$done" "$all" $((left / 60)) $((left % 60))
    fi
  done
  if [ -t 1 ]; then printf '\r\e[K'; fi
}

# faro_build PRESET TARGETS [CMAKE-OPTION...]: configures and builds, says how far it is, and what fails. One at a
# time in a folder.
faro_build() {
  local preset=$1 target=$2
  shift 2
  local log="$faro_root/build/$preset.log"
  mkdir -p "$faro_root/build"
  echo "building $preset ..."
  (
    set -o pipefail
    flock 8
    (cd "$faro_root" && cmake --preset "$preset" "-DFARO_WERROR=${FARO_WERROR:-OFF}" "$@" &&
      cmake --build --preset "$preset" --target $target) 2>&1 | faro_progress "$log"
  ) 8>"$faro_root/build/$preset.lock" || {
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking|Generating)' "$log" | tail -60 >&2
    echo "the build failed; the whole log is $log" >&2
    exit 5
  }
}
