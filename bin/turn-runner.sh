#!/bin/sh
# The turn runner: runs one turn of an agent in the foreground and records its beginning and its end.
#
#   turn-runner.sh --identity JSON --umask MODE --directory DIR --input FILE [--limits 'S S B'] [--setup yes] -- program [argument …]
#
# It runs in the turn's directory; its own stdin, stdout and stderr are /dev/null. JSON is the beginning of
# runner.stat, all that its launcher knows of this machine. ZWARM_MARK ends in `.runner`, for its agent without that.
# Plain POSIX, builtins where a record depends on it, and nothing that forks before the agent: whoever stops a turn
# takes a child of the runner for its agent. docs/formats.md says what it writes, docs/architecture.md why.

# A link in the place of any part of the path would lead the agent and its sandbox elsewhere.
real() {
  part=$1
  while [ -n "$part" ]; do
    [ -L "$part" ] && return 1
    part=${part%/*}
  done
}

# Seconds since the machine began, which nobody can set: durations are differences of it.
read_uptime() {
  uptime=null
  if [ -r /proc/uptime ]; then read -r uptime rest < /proc/uptime; fi
}

cancelled() {
  for name in json kill interrupt withdraw dependency limit never-launched; do
    [ -e "cancel.$name" ] && return
  done
  return 1
}

# Has a new worktree made ready, outside of any sandbox. What ends the turn meanwhile ends this, too.
set_up() {
  (umask "$callers_umask" && exec "$ZWARM_NODE" "$ZWARM_MAIN" set-up) > setup.log 2>&1 < /dev/null && ! cancelled
}

record() {
  trap - EXIT
  { printf '{"v":1,"code":%s,"why":%s,"cancelled":%s,"uptime":%s,"ended_at":%s,"events_bytes":%s}\n' \
    "$code" "$why" "$cancelled" "$uptime" "$ended_at" "$events_bytes" > exit.json; } ||
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
  limits= setup=
  while [ "$1" != -- ]; do
    case $1 in
      --identity) identity=$2 ;;
      --umask) callers_umask=$2 ;;
      --directory) directory=$2 ;;
      --input) input=$2 ;;
      --limits) limits=$2 ;;
      --setup) setup=$2 ;;
    esac
    shift 2
  done
  shift

  if [ -r "/proc/$$/stat" ]; then
    IFS= read -r stat < "/proc/$$/stat"
    started="\"stat\":\"$stat\""
  elif [ -r "$input" ] && [ -w events.jsonl ] && [ -w stderr.log ]; then
    started="\"lstart\":\"$(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p $$)\""
  fi
  read_uptime
  # Whoever creates this file owns the turn; a second runner leaves silently.
  printf '%s,"pid":%s,%s,"uptime":%s}\n' "$identity" "$$" "$started" "$uptime" > runner.stat || exit 0

  code=null why='"not_launched"' cancelled=false ended_at=null events_bytes=null
  trap record EXIT
  if cancelled; then
    why='"cancelled"' cancelled=true
  elif ! [ -d "$directory" ] || ! [ -x "$directory" ] || ! real "$directory"; then
    why='"no_working_dir"'
  elif ! [ -f "$1" ] || ! [ -x "$1" ]; then
    why='"no_agent"'
  elif [ -n "$setup" ] && ! set_up; then
    why='"setup"'
    if cancelled; then why='"cancelled"' cancelled=true; fi
  elif [ -r "$input" ] && [ -w events.jsonl ] && [ -w stderr.log ]; then
    # The agent is not in the background: there a shell has it ignore SIGINT.
    if [ -n "$limits" ]; then
      (ZWARM_MARK=${ZWARM_MARK%.runner}.watcher && exec /bin/sh "${0%/*}/turn-watcher.sh" $limits) &
      watcher=$!
    fi
    (
      ZWARM_MARK=${ZWARM_MARK%.runner}
      umask "$callers_umask" && cd -- "$directory" && unset OLDPWD && exec "$@"
    ) < "$input" >> events.jsonl 2>> stderr.log
    code=$? why=null
    [ -z "$limits" ] || kill "$watcher"
    cancelled && cancelled=true # before anything slow: what comes later changes nothing
    read_uptime
    # These fork and may fail; then they stay unknown. Not from the caller's PATH: the agent may have written there.
    now=$(PATH=/usr/bin:/bin:$PATH && date -u +%Y-%m-%dT%H:%M:%SZ) && ended_at="\"$now\""
    size=$(PATH=/usr/bin:/bin:$PATH && wc -c < events.jsonl) && events_bytes=$((size))
  fi
}

main "$@"; exit
