#!/usr/bin/env bash
# The recipes of other package managers, as far as their tools are on PyPI: Conan packages the library that ./test
# built and its test_package runs; SPDX and CITATION are valid by their own tools; those of Spack, vcpkg and
# conda are read as what they are written in. Versions agree everywhere, and those of a release fetch its archive and no other.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_build release all -DFARO_TESTS=ON
. scripts/try.sh
work=$PWD/build/recipes
rm -rf "$work"
mkdir -p "$work/tree/build"
export CONAN_HOME=$work/conan PATH=$work/env/bin:$PATH
tools() { /usr/bin/python3 -m venv "$work/env" && pip install -q conan spdx-tools cffconvert pyyaml; }
# Of layouts of its own, Conan looks for what was built in build/Release.
conan_packages() {
  conan profile detect && sed -i 's/compiler.cppstd=.*/compiler.cppstd=gnu20/' "$CONAN_HOME/profiles/default" &&
    ln -s "$PWD/build/release" "$work/tree/build/Release" &&
    conan export-pkg packaging/conan --no-remote -o '&:system=True' -of "$work/tree" \
      -c "tools.cmake.cmake_layout:test_folder=$work/test" -c 'tools.cmake.cmaketoolchain:user_presets='
}
said() { grep -qF 'faro: found, linked and run' "$tried_logs/conan"; }
version=$(sed -nE 's/^project\(faro VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
versions() {
  grep -qx "version: $version" CITATION.cff && grep -qx "PackageVersion: $version" packaging/dependencies.spdx &&
    grep -q "\"version\": \"$version\"" packaging/vcpkg/vcpkg.json &&
    grep -q "version: \"$version\"" packaging/conda/meta.yaml &&
    grep -q "version(\"$version\")" packaging/spack/package.py && head -1 debian/changelog | grep -qF "($version-"
}
# What the build looks for is what the list of dependencies names.
listed() {
  local name
  for name in fmt nlohmann_json hwy CLI11 nanobind MPI; do
    grep -rqE "find_package\($name" CMakeLists.txt src python && case $name in
      hwy) name=libhwy ;; MPI) name="Open MPI" ;; esac
    grep -qx "PackageName: $name" packaging/dependencies.spdx || { echo "not listed: $name"; return 1; }
  done
}
yaml() { python -c 'import re, sys, yaml
text = re.sub(r"{{.*?}}", "x", open(sys.argv[1]).read())
assert yaml.safe_load(text)["package"]["name"] == "faro"' packaging/conda/meta.yaml; }
# The workflows of a hosted CI cannot run here. They are valid by GitHub's own schema; and every step is an action with a
# version, a command that prepares, or a script of this tree that a part of .ci runs too.
schema() {
  /usr/bin/python3 -m venv "$work/lint" && "$work/lint/bin/pip" install -q check-jsonschema &&
    "$work/lint/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
}
workflows() { python -c 'import glob, os, re, sys, yaml
parts = "".join(open(part).read() for part in glob.glob(".ci/*.sh") + [".ci/run"])
for name in sys.argv[1:]:
    for job in yaml.safe_load(open(name))["jobs"].values():
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"actions/[a-z-]+@v[0-9]+", step["uses"]), step
            else:
                word = step["run"].split()[0]
                assert word in ("apt-get", "git", "bash", ".ci/run", "./page") or os.access(word, os.X_OK) and word in parts, step
' .github/workflows/*.yml; }
# By URL and checksum: Conan fetches the archive of the release and unpacks it, and refuses one byte more.
released() {
  local made=$work/release
  packaging/release.sh "$made" "file://$made" && (cd "$made" && sha256sum -c ./*.sha256) &&
    [ "$(grep -lF "$(cut -c 1-64 "$made"/*.sha256)" "$made"/recipes/*/* | wc -l)" = 3 ] &&
    grep -qF "$(sha512sum "$made/faro-$version.tar.gz" | cut -c 1-128)" "$made/recipes/vcpkg/portfile.cmake" &&
    python -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$made/recipes/spack/package.py" &&
    conan source "$made/recipes/conan" && [ -f "$made/recipes/conan/CITATION.cff" ] &&
    echo >>"$made/faro-$version.tar.gz" && ! conan source "$made/recipes/conan"
}
# Another version is written everywhere, and nothing else is.
set_version() {
  rm -rf "$work/set" && mkdir "$work/set" && git ls-files -z | xargs -0 cp --parents -t "$work/set" &&
    sed -i '0,/^## /s//## Unreleased\n\n&/' "$work/set/CHANGELOG.md" &&
    "$work/set/packaging/release.sh" --set 9.8.7 &&
    [ "$(diff -rq --exclude=build --exclude=.git . "$work/set" | grep -c ' differ$')" = 11 ] &&
    ! grep -rnE "(VERSION|version|faro)[ :=\"(@]+${version//./\\.}\\b" "$work/set" --include=CMakeLists.txt --include=*.{cff,spdx,py,1,json,yaml}
}
try tools tools
try schema schema
try workflows workflows
try conan conan_packages
try conan-test said
try spdx pyspdxtools -i packaging/dependencies.spdx
try citation cffconvert --validate
try papers test "$(grep -cE '^  - type: (report|article|generic)' CITATION.cff)" = 5
try versions versions
try set-version set_version
try release released
try listed listed
try spack python -c 'import ast; ast.parse(open("packaging/spack/package.py").read())'
try vcpkg python -c 'import json; json.load(open("packaging/vcpkg/vcpkg.json"))'
try conda yaml
tried recipes
