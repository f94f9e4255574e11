#!/usr/bin/env bash
# Every C++ file is as clang-format writes it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
format=$(command -v clang-format-14 || command -v clang-format)
bad=0
good=0
while read -r file; do
  if "$format" --dry-run -Werror "$file" >/dev/null 2>&1; then
    good=$((good + 1))
  else
    echo "not formatted: $file"
    bad=$((bad + 1))
  fi
done < <(git ls-files '*.cpp' '*.hpp' '*.h')
echo "format: $good passed, $bad failed"
[ "$bad" = 0 ]
