#!/bin/bash
# Under a service manager: what it is told (ready, reloading, stopping, alive),
# and listening sockets that it opens and keeps while the daemon is restarted.
. "$(dirname "$0")/../lib/daemon.sh"

export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$library
unset NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID LISTEN_PID LISTEN_FDS LISTEN_FDNAMES

# Runs supervised.py, which is the manager.
supervise() { # CASE
    checks=$((checks + 1))
    timeout --foreground -k 5 $((1080 + 120 * scale)) \
        python3 "$room/supervised.py" "$daemon" "$work" "$1" || fail "$1"
}

supervise life
supervise life-with-tls
supervise hang
supervise restart-tcp
supervise restart-unix
supervise ports
supervise refused
finish
