#!/bin/sh
# The pictures of the docs, as the program draws them; one is drawn by a script of its own.
# usage: docs/pictures/make.sh [FOLDER]      with faro in the PATH; .ci/readme.sh compares
set -eu
folder=${1:-$(dirname "$0")}
faro explain 'r:3 c:2 -> gray(c) rev(r)' --export "$folder/map.svg"
faro plan 'a:3 -> ungray(a)' --on cube:3 --elements 3 --export "$folder/cube.svg" --figure steps >/dev/null
faro plan 'a:10 | m:4 -> m a[9:4] | a[3:0]' --on cube:10 --export "$folder/links.svg" >/dev/null
faro plan --butterfly 5 --on cube:3 --export "$folder/butterfly.svg" --figure places >/dev/null
faro plan 'a:3 | m:1 -> a[1:0] m | a[2]' --on cube:3 --export "$folder/paper-shuffle.svg" --figure steps >/dev/null
faro plan 'i:4 -> swap(i, 3, 0)' --on mesh:4x4 --export "$folder/paper-mesh.svg" --figure steps >/dev/null
faro plan 'i:4 -> ~i' --on pops:4,4 --export "$folder/paper-pops.svg" --figure machine >/dev/null
faro plan --butterfly 4 --on cube:2 --layout 'cyclic binary||gray' --export "$folder/paper-butterfly.svg" --figure places >/dev/null
faro explain 'r:2 c:2 -> c r' --export "$folder/transpose.svg" --figure all
python3 "$(dirname "$0")/places.py" >"$folder/places.svg"
