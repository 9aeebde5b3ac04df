#!/bin/bash
# Several signals: where nothing runs they are as good as one, and a request that
# runs is cut off by the second.
. "$(dirname "$0")/../lib/daemon.sh"

ends_with() { # WHAT CODE
    await_end 20 || return
    equal "$1: exit code" "$2" "$code"
    [ "$code" = "$2" ] || show_log
}

twice() { # WHAT SIGNALS PAUSE [OPTION...]
    start --grpc-port=0 "${@:4}"
    python signals_idle.py "$grpc" "$2" "$3"
    ends_with "$1 (${2:0:40}, each $3 s, ${*:4})" 0
    equal "$1 (${2:0:40}, each $3 s, ${*:4}): the log" '' \
        "$(grep -oE ' (warning|error) .*' "$log")"
}

for signals in TERM,TERM INT,INT TERM,INT INT,TERM,TERM,INT,TERM; do
    for pause in 0 0.02 0.15; do
        twice "idle" $signals $pause
    done
done
twice "idle" TERM,TERM 0.02 --drain-delay=60
twice "idle" TERM,TERM 0.3 --drain-delay=60
twice "idle" TERM,INT,TERM,TERM,TERM,TERM 0.02 --admin-port="$(free_port)"
twice "idle, without time for requests" TERM 0 --exit-timeout-secs=0
twice "idle, a burst" "TERM$(printf ',INT,TERM%.0s' {1..100})" 0

# Signals that come while the daemon starts: it ends as a signal ends a process
# that has not begun, or cleanly.
for pause in 0 0.002 0.005 0.01 0.02 0.03 0.05; do
    : >"$log"
    "$daemon" --http-port=0 2>"$log" &
    pid=$!
    sleep $pause
    for signal in TERM INT TERM; do
        kill -$signal "$pid" 2>/dev/null
    done
    await_end 20
    matches "signals $pause s after the start: exit code" '^(0|130|143)$' "$code"
    equal "signals $pause s after the start: cut" 0 \
        "$(grep -c 'cutting off' "$log")"
done

# Something runs: the second signal cuts it off.
for half in body headers reply; do
    start --exit-timeout-secs=60
    python signals_cut.py $half
    ends_with "cut off in its $half" 1
    equal "cut off in its $half: the log" 1 \
        "$(grep -c 'warning cutting off running requests' "$log")"
done
start --exit-timeout-secs=60 --grpc-port=0
python signals_cut.py call "$grpc"
ends_with "a call that is cut off" 1
equal "a call that is cut off: the log" 1 \
    "$(grep -c 'warning cutting off running requests' "$log")"
finish
