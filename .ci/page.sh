#!/usr/bin/env bash
# The page in a real browser, Debian's Chromium: what it answers is what the program answers, what it draws
# is what an independent replay finds, its kernels for GPUs move the bytes where they are pasted (on PoCL), it asks
# nobody anything, and keys alone do everything. The site with the
# page in it opens from its folder: the search finds, nothing is wider than a phone.
# usage: .ci/page.sh [PART...]      parts: answers schedules verdicts drawn gpu behaviour site
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh
faro_need $packages_build $packages_page $packages_browser $packages_site $packages_opencl || exit 3
faro_build release faro_program
faro_build wasm explorer
case " $* " in "  " | *" site "*) tools/site --explorer build/site || exit 5 ;; esac
tools=$PWD/build/page-tools
if ! "$tools/bin/python" -c 'import playwright, axe_playwright_python' 2>/dev/null; then
  python3 -m venv "$tools" && "$tools/bin/pip" install -q playwright axe-playwright-python || exit 3
fi
PYTHONDONTWRITEBYTECODE=1 "$tools/bin/python" .ci/page/run.py build/release/faro build/wasm/explorer.html \
  build/site/site "$@"
