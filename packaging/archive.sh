#!/usr/bin/env bash
# archive.sh FOLDER: writes faro-VERSION.tar.gz there: what git tracks, as it stands; the same bytes for the
# same files and date of commit, wherever and whenever; it builds without a network.
set -euo pipefail
folder=$(realpath -m "${1:?usage: packaging/archive.sh FOLDER}")
mkdir -p "$folder"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -nE 's/^project\(faro VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
git ls-files -z | LC_ALL=C sort -z | tar --create --no-recursion --null --format=posix \
  --pax-option=delete=atime,delete=ctime --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 \
  --numeric-owner --mode='u=rwX,go=rX' --transform="flags=r;s,^,faro-$version/," --files-from=- |
  gzip -9n >"$folder/faro-$version.tar.gz"
sha256sum "$folder/faro-$version.tar.gz"
