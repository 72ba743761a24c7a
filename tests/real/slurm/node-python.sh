#!/bin/sh
# A Python for the nodes of a lab: a file flags/NODE.WORD beside it makes that node misbehave.
at=$(dirname "$0")/flags/$SLURMD_NODENAME
[ -e $at.flood ] && exec yes "this node talks and talks, and never of what it was asked"
[ -e $at.flood-one-line ] && exec tr '\0' x </dev/zero
[ -e $at.hang ] && exec sleep 600
[ -e $at.silent ] && exit 0
[ -e $at.missing ] && { echo "python3: not found" >&2; exit 127; }
[ -e $at.motd ] && echo "Welcome to $SLURMD_NODENAME"
[ -e $at.greedy ] && { echo "=N node001"; sleep 1; }
exec /usr/bin/python3 "$@"
