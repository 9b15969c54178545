#!/bin/sh
# The turn watcher: has a turn stopped that reaches a limit. The turn runner starts it beside the agent of a turn that has one.
#
#   turn-watcher.sh SECONDS SILENCE BYTES     each 0 for no limit
#
# It runs in the turn's directory until the runner ends it. What prints nothing may be at work: zwarm looks whether it is.

uptime() {
  if [ -r /proc/uptime ]; then IFS='. ' read -r now rest < /proc/uptime; else now=$(date +%s); fi
}

# Away from us: whoever stops the turn ends us, too, and must not end itself.
stop() {
  ("$ZWARM_NODE" "$ZWARM_MAIN" limit stop "$1" "$2" "$3" &)
  nap 60
}

nap() {
  sleep "$1" &
  napping=$!
  wait "$napping"
  napping=
}

main() {
  set +eux # an exported SHELLOPTS must not end us
  max_time=$1 max_silence=$2 max_log=$3
  runner=$PPID napping=
  # An interruption is for the agent. A sleep that is left behind would keep the turn running.
  trap '' INT QUIT
  trap '[ -z "$napping" ] || kill "$napping"; exit' HUP TERM
  PATH=/usr/bin:/bin:$PATH
  uptime
  began=$now heard=$now size=0
  while kill -0 "$runner" && ! [ -e exit.json ]; do
    before=$size
    size=$(($(wc -c < events.jsonl) + $(wc -c < stderr.log)))
    uptime
    [ "$size" -eq "$before" ] || heard=$now
    ran=$((now - began)) silent=$((now - heard))
    if [ "$max_log" -gt 0 ] && [ "$size" -gt "$max_log" ]; then
      stop max_log_bytes "$max_log" "$size"
    elif [ "$max_time" -gt 0 ] && [ "$ran" -ge "$max_time" ]; then
      stop max_time_s "$max_time" "$ran"
    elif [ "$max_silence" -gt 0 ] && [ "$silent" -ge "$max_silence" ]; then
      # Where zwarm cannot tell, nothing is stopped.
      if "$ZWARM_NODE" "$ZWARM_MAIN" limit idle; then stop max_silence_s "$max_silence" "$silent"; else heard=$now; fi
    fi
    nap 1
  done
}

main "$@" > /dev/null 2>&1 < /dev/null; exit
