#!/bin/bash
# Tables: what the weights of bounds prove, in exact arithmetic; and those of small cubes made anew,
# byte for byte, by the solver of this version.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/search/bound_weights.py --check data/bound_weights.json
tools/search/conversion_tables.py --check data/conversion_tables.json
python=python3
wanted=1.17.1
if [ "$(python3 -c 'import scipy; print(scipy.__version__)' 2>/dev/null)" != $wanted ]; then
  python=build/tables/bin/python
  [ -x $python ] || { python3 -m venv build/tables && $python -m pip -q install scipy==$wanted; }
fi
$python tools/search/bound_weights.py --again data/bound_weights.json
for bits in 3 4; do
  $python tools/search/conversion_tables.py --laps $bits > build/tables.laps
  while read -r table; do
    grep -qF "$table" data/conversion_tables.json || { echo "not in data/conversion_tables.json: $table"; exit 1; }
  done < build/tables.laps
done
echo "tables made anew: laps of three and four bits"
