# Sourced by the parts with sanitizers. What reads foreign bytes, moves bytes or has threads is built with them;
# the rest of the library is linked from the release build. `.ci/asan.sh --whole` builds all of it.
asan_folders="base algebra words layouts schedules engine arrays distributed disk checkpoints files gpu exports c"
tsan_folders="base algebra engine files disk c"

# faro_sanitized PRESET FOLDERS TARGETS: builds these targets so.
faro_sanitized() {
  local rest=$PWD/build/$1-rest.a folders=$2
  faro_build release faro -DFARO_TESTS=ON
  rm -f "$rest"
  ninja -C build/release -t inputs src/libfaro.a | grep '\.o$' |
    grep -vE "/faro\.dir/(Unity/unity_)?(${folders// /|})[/_]" |
    (cd build/release && xargs ar rcs "$rest") || exit 1
  faro_build "$1" "$3" "-DFARO_FOLDERS=${folders// /;}" "-DFARO_REST=$rest"
}
