#!/usr/bin/env bash
# release.sh --set VERSION     writes VERSION into every file that states it, before its commit is tagged
# release.sh FOLDER URL        writes the source archive, its checksums and, in FOLDER/recipes, the recipes of Conan, conda,
#                              Spack and vcpkg, which fetch URL/faro-VERSION.tar.gz and believe nothing but its checksum
# The recipes in this tree build the tree that they lie in: an archive cannot hold its own checksum.
set -euo pipefail
usage() { sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
[ $# = 2 ] || usage
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -nE 's/^project\(faro VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)

# put FILE EXPRESSION: what sed -E makes of it; one that changes nothing is an error.
put() {
  local made
  made=$(mktemp)
  sed -E "$2" "$1" >"$made"
  if cmp -s "$made" "$1"; then echo "$1: nothing is changed by $2" >&2 && exit 1; fi
  cat "$made" >"$1"
  rm "$made"
}

if [ "$1" = --set ]; then
  new=$2
  [[ $new =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] && [ "$new" != "$version" ] || usage
  old=${version//./\\.}
  put CMakeLists.txt "s/^project\(faro VERSION $old /project(faro VERSION $new /"
  put src/mpi/CMakeLists.txt "s/project\(faro_mpi VERSION $old /project(faro_mpi VERSION $new /"
  put CITATION.cff "s/^version: $old$/version: $new/"
  put packaging/dependencies.spdx "s/(:spdx:|^PackageVersion: )$old$/\1$new/"
  put packaging/vcpkg/vcpkg.json "s/\"version\": \"$old\"/\"version\": \"$new\"/"
  put packaging/conda/meta.yaml "s/version: \"$old\"/version: \"$new\"/"
  put packaging/spack/package.py "s/version\(\"$old\"\)/version(\"$new\")/; s/faro@$old/faro@$new/"
  put packaging/faro.1 "s/\"faro $old\"/\"faro $new\"/"
  put packaging/faro-mpi.1 "s/\"faro $old\"/\"faro $new\"/"
  put CHANGELOG.md "s/^## Unreleased$/## $new/"
  { printf 'faro (%s-1) UNRELEASED; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$new"
    printf ' -- The faro authors <faro@localhost.localdomain>  %s\n\n' "$(LC_ALL=C date -uR)"
    cat debian/changelog; } >debian/changelog.new
  mv debian/changelog.new debian/changelog
  exit
fi

folder=$(realpath -m "$1") url=$2/faro-$version.tar.gz
packaging/archive.sh "$folder"
cd "$folder"
archive=faro-$version.tar.gz
sha256=$(sha256sum "$archive" | cut -d ' ' -f 1) sha512=$(sha512sum "$archive" | cut -d ' ' -f 1)
sha256sum "$archive" >"$archive.sha256"
rm -rf recipes
cp -r "$OLDPWD/packaging" recipes
(cd recipes && rm -rf -- *.sh *.py *.1 ./*.spdx)
put recipes/conda/meta.yaml "s|^  path: .*|  url: $url\n  sha256: $sha256|; s|, of this tree: .*|: conda build recipes/conda|"
put recipes/spack/package.py "s|^    version\(.*|    url = \"$url\"\n    version(\"$version\", sha256=\"$sha256\")|; /^#/d"
put recipes/vcpkg/portfile.cmake "1d; s|^get_filename_component.*|vcpkg_download_distfile(ARCHIVE URLS \"$url\"\n\
  FILENAME \"$archive\" SHA512 $sha512)\nvcpkg_extract_source_archive(SOURCE_PATH ARCHIVE \"\${ARCHIVE}\")|"
printf 'sources:\n  "%s":\n    url: "%s"\n    sha256: "%s"\n' "$version" "$url" "$sha256" >recipes/conan/conandata.yml
