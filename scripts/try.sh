# Sourced by scripts that count what works: `try` runs a command and counts it, `tried` says the sums.
good=0
bad=0
tried_logs=$(mktemp -d)
trap 'rm -rf "$tried_logs"' EXIT

# try NAME COMMAND...: counted; one that fails is named and shows the end of what it printed.
try() {
  local name=$1
  tried_log=${name//[^A-Za-z0-9_-]/-}
  tried_log=$tried_logs/${tried_log:0:80}
  shift
  if "$@" >"$tried_log" 2>&1; then
    good=$((good + 1))
  else
    bad=$((bad + 1))
    echo "failed: $name"
    tail -40 "$tried_log"
    return 1
  fi
}

# tried NAME: the last line, and whether nothing failed.
tried() {
  echo "$1: $good passed, $bad failed"
  [ "$bad" = 0 ]
}
