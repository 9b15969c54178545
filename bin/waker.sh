#!/bin/sh
# The waker: sleeps until the time in the file `at`, then has zwarm start what may begin.
#
#   waker.sh --identity JSON --at FILE
#
# It runs in a directory of its own; its stdin, stdout and stderr are /dev/null. JSON is the beginning of waker.stat.
# ZWARM_NODE and ZWARM_MAIN are zwarm. One lives per state directory, and only while something waits for a time.

# Whether anything waits in the queue of any project.
waits() {
  # A project whose name begins with a dot has a store whose name does.
  for place in "${at%/wakers/at}"/projects/*/queue/* "${at%/wakers/at}"/projects/.*/queue/*; do
    [ -e "$place" ] && return
  done
  return 1
}

main() {
  set +eux # an exported SHELLOPTS must not end us
  set -C   # `>` creates, and fails where a file is already
  umask 077
  # Whoever closes the terminal does not mean us.
  trap : HUP INT QUIT
  identity=$2 at=$4
  if [ -r "/proc/$$/stat" ]; then
    IFS= read -r stat < "/proc/$$/stat"
    started="\"stat\":\"$stat\""
  else
    started="\"lstart\":\"$(LC_ALL=C TZ=UTC /bin/ps -o lstart= -p $$)\""
  fi
  printf '%s,"pid":%s,%s}\n' "$identity" "$$" "$started" > waker.stat || exit 0
  PATH=/usr/bin:/bin:$PATH
  # In short steps: the time may be brought forward or forgotten, the clock set, and the machine asleep.
  while IFS= read -r until < "$at" && waits; do
    left=$((until - $(date +%s)))
    [ "$left" -gt 0 ] || exec "$ZWARM_NODE" "$ZWARM_MAIN" wake
    [ "$left" -lt 5 ] || left=5
    sleep "$left"
  done
}

main "$@"; exit
