#!/usr/bin/env bash
# Every C++ file is as clang-format writes it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
format=$(command -v clang-format-14 || command -v clang-format)
bad=0
good=0
while read -r file; do
  # Compared: --dry-run of version 14 also warns of closing comments that it would not change.
  if "$format" "$file" | cmp -s - "$file"; then
    good=$((good + 1))
  else
    echo "not formatted: $file"
    bad=$((bad + 1))
  fi
done < <(git ls-files '*.cpp' '*.hpp' '*.h')
echo "format: $good passed, $bad failed"
[ "$bad" = 0 ]
