# Pictures and exports: what other programs read of them. docs/exports.md
exits "a plan with a picture" 0 "$faro" plan 'a:4 -> ungray(a)' --on cube:4 --elements 10 --schedule s.json --export links.svg
prints "a plan with a picture" "verified"
"$faro" plan 'i -> rev(i)' --on torus:4x4,all-links --schedule torus.json >/dev/null
"$faro" plan 'i -> rev(i)' --on pops:4,4 --schedule pops.json >/dev/null
"$faro" plan 'i -> rev(i)' --on mesh:4x4 --schedule mesh.json >/dev/null
"$faro" plan 'a:3 | m:3 -> m | a' --on ranks:8 --schedule ranks.json >/dev/null
for schedule in s torus pops mesh ranks; do
  for ending in csv json goal graphml dot tar xml svg tex; do
    exits "$schedule to $ending" 0 "$faro" convert $schedule.json $schedule-out.$ending
  done
  exits "$schedule, steps" 0 "$faro" convert $schedule.json $schedule-steps.svg --figure steps
  check "$schedule: pictures are XML" "$python" -c "
import sys, xml.dom.minidom
for name in ['$schedule-out.svg', '$schedule-steps.svg', '$schedule-out.graphml', '$schedule-out.xml']:
    xml.dom.minidom.parse(name)"
  check "$schedule: the trace is JSON" "$python" -c "
import json
events = json.load(open('$schedule-out.json'))['traceEvents']
assert sum(e['ph'] == 'X' for e in events) > 8"
  if command -v dot >/dev/null; then check "$schedule: Graphviz" dot -Tplain $schedule-out.dot -o $schedule.plain; fi
  if command -v rsvg-convert >/dev/null; then check "$schedule: drawn" rsvg-convert $schedule-out.svg -o $schedule.png; fi
done
exits "BookSim" 0 "$faro" convert torus.json torus.cfg; check "BookSim" grep -q 'traffic = bitrev;' torus.cfg
exits "BookSim, no pattern" 4 "$faro" convert s.json s.cfg; says "BookSim, no pattern" "shuffle"
check "as many lines as moves" "$python" -c "
import csv, json
moves = [row for row in csv.DictReader(open('s-out.csv')) if row['from'] != row['to']]
assert len(moves) == json.load(open('s.json'))['cost']['remote_moves'], len(moves)"
exits "to stdout" 0 "$faro" convert s.json - --to csv; prints "to stdout" "step,from,from_slot"
exits "a map's picture to stdout" 0 "$faro" explain 'i:4 -> rev(i)' --export - --to svg
prints "a map's picture to stdout" "<svg"
exits "TikZ" 0 "$faro" explain 'i:4 -> rev(i)' --export r.tex --figure all
check "TikZ begins" grep -q 'begin{tikzpicture}' r.tex
exits "2^60 processors" 0 "$faro" plan 'a:60 -> ungray(a)' --on cube:60 --elements 3 --verify proof --export big.svg
exits "2^60 processors, move by move" 4 "$faro" plan 'a:60 -> ungray(a)' --on cube:60 --elements 3 --verify proof --export big.csv
says "2^60 processors, move by move" "up to"; check "nothing is left" test ! -e big.csv
exits "an unknown ending" 2 "$faro" convert s.json s.parquet; says "an unknown ending" "--to"
exits "an unknown format" 2 "$faro" convert s.json x.csv --to parquet; says "an unknown format" "perfetto"
exits "an unknown figure" 2 "$faro" convert s.json x.svg --figure cube; says "an unknown figure" "machine@STEP"
exits "a figure of csv" 2 "$faro" convert s.json x.csv --figure links
exits "a step that is none" 2 "$faro" convert s.json x.svg --figure machine@99; says "a step that is none" "no step 99"
exits "--figure without --export" 2 "$faro" plan 'i -> rev(i)' --on cube:4 --figure links
says "--figure without --export" "--figure links needs a file for the picture: add --export FILE.svg"
exits "--figure of a map without --export" 2 "$faro" explain 'i:4 -> rev(i)' --figure all
says "--figure of a map without --export" "add --export FILE.svg"
exits "a schedule from a pipe" 2 "$faro" convert - x.csv
sed 's/"remote_moves":[0-9]*/"remote_moves":1/' s.json >wrong.json
exits "a wrong schedule" 1 "$faro" convert wrong.json wrong.csv; says "a wrong schedule" "not right"
check "nothing is written" test ! -e wrong.csv
exits "a wrong schedule, unverified" 0 "$faro" convert wrong.json wrong.csv --unverified
sed 's/"to":0/"to":"x"/' s.json >unread.json
exits "a schedule that cannot be read" 1 "$faro" convert unread.json unread.csv
check "it is not said that it can be converted" sh -c "! grep -q unverified '$stderr'"
for loops in loop-cube loop-pops; do
  exits "$loops unrolled" 0 "$faro" convert "$root/tests/data/schedules/$loops.json" steps.json --unroll
  exits "$loops, its steps" 0 "$faro" verify steps.json; check "$loops, no loop" sh -c '! grep -q loop steps.json'
  exits "$loops to csv" 0 "$faro" convert "$root/tests/data/schedules/$loops.json" $loops.csv
done
exits "a thousand laps and more" 0 "$faro" plan 'a:3 -> ungray(a)' --on cube:3 --elements 2000 --schedule laps.json
check "they are loops" grep -q '"laps"' laps.json
for format in csv perfetto goal graphml dot chakra c svg tikz; do
  exits "laps to $format" 0 "$faro" convert laps.json laps.out --to "$format"
done
exits "a billion elements" 0 "$faro" plan 'a:3 -> ungray(a)' --on cube:3 --elements 1000000000 --schedule laps.json
exits "the links of a billion" 0 "$faro" convert laps.json laps.svg
check "two laps are drawn" grep -q 'two laps of 199999998' laps.svg
exits "the steps of a billion" 4 "$faro" convert laps.json billion.out --to svg --figure steps
for format in csv perfetto goal graphml dot chakra msccl c; do
  exits "a billion to $format" 4 "$faro" convert laps.json billion.out --to "$format"
  check "why, of $format" grep -q 'one by one\|lap after lap' "$stderr"
done
exits "a billion unrolled" 4 "$faro" convert laps.json billion.out --unroll; says "a billion unrolled" "lap after lap"
check "nothing is written of a billion" test ! -e billion.out
exits "a schedule as a picture" 2 "$faro" convert steps.json x.json --unroll --to svg
exits "an array too large to draw" 4 "$faro" explain 'i:9 -> rev(i)' --export x.svg --figure array
