#!/bin/bash
# Loads a flipd with wrk: JSON and binary requests, small and large. Fails when
# a single answer is not 2xx or a socket breaks.
#
# Usage: tests/load/run.sh DAEMON|http://HOST:PORT
#   LOAD_SECONDS      for each of the four forms, default 5
#   LOAD_CONNECTIONS  default 16
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rc=0

case ${1:?usage: tests/load/run.sh DAEMON|URL} in
http://*) url=$1 ;;
*)
    . "$here/../integration/lib/daemon.sh" "$1"
    patience=() # the defaults
    start
    ;;
esac
for form in 'json 256' 'binary 4096' 'json 1048576' 'binary 1048576'; do
    printf '%-15s ' "$form"
    # shellcheck disable=SC2086 # two arguments
    said=$(wrk --threads 1 --connections "${LOAD_CONNECTIONS:-16}" --timeout 10s \
        --duration "${LOAD_SECONDS:-5}s" --script "$here/infer.lua" "$url" \
        -- $form 2>&1) || rc=1
    grep -E '^[0-9]+ requests|FAILED' <<<"$said" || { echo "$said"; rc=1; }
done
exit $rc
