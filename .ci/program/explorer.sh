# What faro explorer puts into the page, with a page of one line in place of the one that .ci/page.sh builds and tests.
mkdir -p prefix/bin prefix/share/faro
cp "$faro" prefix/bin/faro
own=$PWD/prefix/bin/faro
exits "no page" 3 "$own" explorer -o page.html; says "no page" "./page"
echo '<p><script type="application/json" id="content">null</script></p>' >prefix/share/faro/explorer.html
content() {  # NAME EXPRESSION: of page.html's content, as c
  check "$1" "$python" -c "
import json, re
c = json.loads(re.search(r'id=\"content\">([^<]*)</script></p>', open('page.html').read())[1])
assert $2, c"
}
exits "a page" 0 "$own" explorer -o page.html
content "a page" "c == {'link': '#v1:'}"
exits "a map" 0 "$own" explorer 'a:4 -> ungray(a)' --on cube:4 --elements 10 -o page.html
content "a map" "c == {'link': '#v1:map=a%3A4%20-%3E%20ungray%28a%29&on=cube%3A4&elements=10'}"
"$faro" plan 'i -> rev(i)' --on ranks:8 --schedule s.json >/dev/null
exits "a schedule" 0 "$own" explorer --schedule s.json -o page.html
content "a schedule" "c['schedule'] == open('s.json').read() and c['name'] == 's.json' and 'view=file' in c['link']"
echo '{"planner":"</script><script>"}' >evil.json
exits "what would end the script" 0 "$own" explorer --schedule evil.json -o page.html
content "what would end the script" "c['schedule'] == open('evil.json').read()"
exits "a page to stdout" 0 "$own" explorer 'i:3 -> ~i' -o -; prints "a page to stdout" "map=i%3A3"
exits "a wrong map" 2 "$own" explorer 'i:3 -> ~j' -o none.html; says "a wrong map" "^"
exits "a map that the machine cannot" 2 "$own" explorer 'i:3 -> ~i' --on cube:4 -o none.html
exits "a map and a schedule" 2 "$own" explorer 'i:3 -> ~i' --schedule s.json -o none.html
exits "a machine without a map" 2 "$own" explorer --on cube:4 -o none.html
# faro verify --html: the same page, with the verdict.
exits "a right verdict's page" 0 "$own" verify s.json --html page.html; prints "a right verdict's page" "page.html"
content "a right verdict's page" "c['schedule'] == open('s.json').read() and c['verdict']['ok'] and c['link'] == '#v1:view=file'"
exits "a goal's page" 1 "$own" verify s.json --map 'i -> ~i' --html page.html
content "a goal's page" "c['goal'] == 'i -> ~i' and c['verdict']['violations'][0]['at']['slot'] == 1"
exits "a page of lines" 2 "$own" verify s.json --lines --html none.html
exits "a page of a pipe" 2 "$own" verify - --html none.html
exits "a page and a verdict" 2 "$own" verify s.json --html -
printf '\377\376' >binary.json
exits "no text" 2 "$own" explorer --schedule binary.json -o none.html; says "no text" "UTF-8"
exits "no such schedule" 3 "$own" explorer --schedule nowhere.json -o none.html
check "nothing is left behind" test ! -e none.html
echo '<p></p>' >prefix/share/faro/explorer.html
exits "another page" 3 "$own" explorer -o page.html
