# Help, version, wrong command lines, completions, the man page.
exits "no arguments" 2 "$faro"; says "no arguments" "Usage: faro COMMAND"; silent "no arguments" stdout
exits "--help" 0 "$faro" --help; prints "--help" "Commands:"; silent "--help" stderr
exits "--version" 0 "$faro" --version
check "version" grep -qxE 'faro [0-9]+\.[0-9]+\.[0-9]+' "$stdout"
prints "version" "faro-journal/1"; prints "version" "build            release"
cases <<'END'
2 :: --versoin :: did you mean '--version'?
0 :: help plan :: Usage: faro plan
2 :: explian x :: did you mean 'explain'
2 :: explain --frob 'i:2 -> i' :: --frob
2 :: plan gray --onn cube:4 :: did you mean '--on'?
2 :: export map --to qasmm :: did you mean 'qasm'?
2 :: explain :: MAP
2 :: explain 'i:2 -> i' 'i:2 -> i'
2 :: permute a b --map gray --threads many :: whole number
2 :: completions tcsh :: bash, zsh, fish
END
exits "stdout full" 3 sh -c "'$faro' --help >/dev/full"

commands=$("$faro" --help | sed -n '/^Commands:/,/^$/p' | sed -nE 's/^  ([a-z]+) .*/\1/p')
check "commands are listed" test -n "$commands"
for name in $commands; do
  exits "$name --help" 0 "$faro" "$name" --help; prints "$name --help" "Usage: faro $name"
  for option in $("$faro" "$name" --help | grep -oE '^  --[a-z-]+' | sort -u); do
    for shell in bash zsh fish; do
      word=$option; [ $shell = fish ] && word="-l ${option#--}"
      check "$shell completes $option" sh -c "'$faro' completions $shell | grep -qF -- '$word'"
    done
  done
  check "bash completes $name" sh -c "'$faro' completions bash | grep -qw $name"
done
"$python" "$root/packaging/man.py" "$faro" >page
check "the man page is what packaging/man.py makes now" cmp -s page "$root/packaging/faro.1"
check "bash accepts its completions" sh -c "'$faro' completions bash | bash -n"
if command -v zsh >/dev/null; then check "zsh accepts its completions" sh -c "'$faro' completions zsh | zsh -n"; fi
if command -v fish >/dev/null; then check "fish accepts its completions" sh -c "'$faro' completions fish | fish -n"; fi
completed=$(bash -c "source <('$faro' completions bash); COMP_WORDS=(faro expla); COMP_CWORD=1; _faro; echo \"\${COMPREPLY[*]}\"")
check "bash completes expla" test "$completed" = explain
completed=$(bash -c "source <('$faro' completions bash); COMP_WORDS=(faro permute a b --ma); COMP_CWORD=4; _faro; echo \"\${COMPREPLY[*]}\"")
check "bash completes --ma" test "$completed" = --map
completed=$(bash -c "source <('$faro' completions bash); COMP_WORDS=(faro explain sequ); COMP_CWORD=2; _faro; echo \"\${COMPREPLY[*]}\"")
check "bash completes maps" test "$completed" = sequency
completed=$(bash -c "source <('$faro' completions bash); COMP_WORDS=(faro plan i --on ra); COMP_CWORD=4; _faro; echo \"\${COMPREPLY[*]}\"")
check "bash completes machines" test "$completed" = ranks:
if command -v man >/dev/null; then
  check "the man page has no warnings" sh -c "! man --warnings -l '$root/packaging/faro.1' 2>&1 >/dev/null | grep ."
fi
