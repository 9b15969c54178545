#!/bin/sh
# The turn runner: runs one turn of an agent in the foreground and records its beginning and its end.
#
#   turn-runner.sh --identity JSON --umask MODE --directory DIR --input FILE -- program [argument …]
#
# It runs in the turn's directory; its own stdin, stdout and stderr are /dev/null. JSON is the beginning of
# runner.stat, all that its launcher knows of this machine. Plain POSIX, builtins where a record depends on it.
# docs/formats.md says what it writes, docs/architecture.md why.

record() {
  trap - EXIT
  printf '{"v":1,"code":%s,"why":%s,"cancelled":%s,"ended_at":%s,"events_bytes":%s}\n' \
    "$code" "$why" "$cancelled" "$ended_at" "$events_bytes" > exit.json ||
    : > "exit.$code" # a full disk still has room for a name
  if [ -x "$ZWARM_NODE" ] && [ -f "$ZWARM_MAIN" ]; then
    exec "$ZWARM_NODE" "$ZWARM_MAIN" settle
  fi
}

main() {
  set +eux # an exported SHELLOPTS must not end us before the record is written
  set -C   # `>` creates, and fails where a file is already
  umask 077
  # Caught, not ignored: the agent would inherit an ignored signal. Before anything is published that could be signalled.
  trap : HUP INT QUIT TERM USR1 USR2 ALRM
  while [ "$1" != -- ]; do
    case $1 in
      --identity) identity=$2 ;;
      --umask) callers_umask=$2 ;;
      --directory) directory=$2 ;;
      --input) input=$2 ;;
    esac
    shift 2
  done
  shift

  if [ -r "/proc/$$/stat" ]; then
    IFS= read -r stat < "/proc/$$/stat"
    started="\"stat\":\"$stat\""
  else
    started="\"lstart\":\"$(LC_ALL=C TZ=UTC ps -o lstart= -p $$)\""
  fi
  # Whoever creates this file owns the turn; a second runner leaves silently.
  printf '%s,"pid":%s,%s}\n' "$identity" "$$" "$started" > runner.stat || exit 0

  code=null why='"not_launched"' cancelled=false ended_at=null events_bytes=null
  trap record EXIT
  if [ -e cancel.json ]; then
    why='"cancelled"' cancelled=true
  elif ! [ -d "$directory" ] || ! [ -x "$directory" ]; then
    why='"no_working_dir"'
  elif ! [ -f "$1" ] || ! [ -x "$1" ]; then
    why='"no_agent"'
  elif [ -r "$input" ]; then
    (
      umask "$callers_umask" && cd -- "$directory" && unset OLDPWD && exec "$@"
    ) < "$input" >> events.jsonl 2>> stderr.log
    code=$? why=null
    [ -e cancel.json ] && cancelled=true # before anything slow: what comes later changes nothing
    # These fork and may fail; then they stay unknown.
    now=$(date -u +%Y-%m-%dT%H:%M:%SZ) && ended_at="\"$now\""
    size=$(wc -c < events.jsonl) && events_bytes=$((size))
  fi
}

main "$@"; exit
