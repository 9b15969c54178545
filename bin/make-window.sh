#!/bin/sh
# Makes the window of a checkout: .zwarm/sessions, a link to where zwarm keeps the sessions of its project.
#
#   make-window.sh CHECKOUT SESSIONS
#
# It runs in CHECKOUT, a real path. An agent that may write there can exchange .zwarm for a link at any moment. One that may
# write above CHECKOUT can exchange all of it. So this looks where it is, enters the directory, looks where it has come
# to, and from then on uses names relative to it.
set -Cu # `>` creates, and fails where a file is already
umask 077
# Not the caller's, on which an agent may have put something. The last is where NixOS has its programs.
PATH=/usr/bin:/bin:/run/current-system/sw/bin

# The shell takes line feeds off the end, which a name may have.
here=$(pwd -P && echo .)
[ "${here%??}" = "$1" ] || exit 1
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
