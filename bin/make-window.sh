#!/bin/sh
# Makes the window of a checkout: .zwarm/sessions, a link to where zwarm keeps the sessions of its project.
#
#   make-window.sh CHECKOUT SESSIONS
#
# It runs in CHECKOUT, a real path. An agent that may write there can exchange .zwarm for a link at any moment: so this
# enters the directory, looks where it has come to, and from then on uses names relative to it.
set -Cu # `>` creates, and fails where a file is already
umask 077
PATH=/usr/bin:/bin

# Another start may do the same at this moment.
[ -d .zwarm ] || mkdir .zwarm || [ -d .zwarm ] || exit 1
cd .zwarm && [ "$(pwd -P)" = "${1%/}/.zwarm" ] || exit 1
# First: git must not see what comes after it.
[ -e .gitignore ] || [ -L .gitignore ] || printf '*\n' > .gitignore
[ "$(readlink sessions)" = "$2" ] && exit 0
# A directory that is not empty is somebody's own.
[ -L sessions ] || [ ! -e sessions ] || rmdir sessions || exit 1
# In place of what is there, since another start that looks for the window must not find it missing.
ln -sfn "$2" sessions
