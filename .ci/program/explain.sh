# faro explain
exits "explain" 0 "$faro" explain 'r:3 c:2 -> gray(c) rev(r)'
prints "explain" "class"; prints "explain" "canonical"; prints "explain" "inverse"; prints "explain" "index 1"
silent "explain" stderr
check "no colour in a pipe" bash -c "! grep -q \$'\\033' '$stdout'"
exits "a map that is not invertible" 2 "$faro" explain 'r:3 c:2 -> r r'
says "singular" "r:3 c:2 -> r r"
check "a caret below the column" grep -qE '^ +\^' "$stderr"
silent "singular" stdout
exits "a syntax error" 2 "$faro" explain 'i:4 -> rev(i'
exits "tornado" 4 "$faro" explain tornado:4
exits "too wide" 4 "$faro" explain 'i:65 -> i'
exits "a width given" 0 "$faro" explain bit-reversal --width 10
exits "a width missing" 2 "$faro" explain bit-reversal
exits "a width of 65" 4 "$faro" explain bit-reversal --width 65
exits "a vector, which begins with [" 0 "$faro" explain '[-0, 3, -1, -2]' --json
check "vector class" grep -qF '"class": "bpc"' "$stdout"
for width in 0 1 2 16 17 63 64; do
  for map in "i:$width -> i" "i:$width -> rev(i)" "i:$width -> gray(~i)"; do
    exits "$map" 0 "$faro" explain "$map"
    exits "$map --json" 0 "$faro" explain "$map" --json
  done
done
# canonical text explains to itself; the inverse of the inverse is the map
for map in 'r:3 c:2 -> gray(c) rev(r)' '[-0, 3, -1, -2]' 'a:3 | m:2 -> ungray(a) | ~m' 'cyclic:2|3 => consecutive' 'transpose:6'; do
  canonical=$("$faro" explain "$map" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["canonical"])')
  again=$("$faro" explain "$canonical" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["canonical"])')
  check "canonical text of $map" test "$canonical" = "$again"
  inverse=$("$faro" explain "$map" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["inverse"])')
  back=$("$faro" explain "$inverse" --json | "$python" -c 'import json,sys; print(json.load(sys.stdin)["inverse"])')
  check "inverse of the inverse of $map" test "$canonical" = "$back"
done
# colour on a terminal, unless NO_COLOR
if command -v script >/dev/null; then
  check "colour on a terminal" bash -c "TERM=xterm script -qec \"'$faro' explain gray:3\" /dev/null </dev/null | grep -q \$'\\033\\['"
  check "NO_COLOR" bash -c "! NO_COLOR=1 TERM=xterm script -qec \"'$faro' explain gray:3\" /dev/null </dev/null | grep -q \$'\\033\\['"
fi
