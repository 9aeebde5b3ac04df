#!/bin/bash
# Several hosts on one machine, in network namespaces: flipd on three, HAProxy with
# deploy/balancer/haproxy.cfg on a fourth, clients on a fifth. Hosts are upgraded from
# an earlier version, cut off and healed at 70 % of the peak, and lines are slow and
# lossy. README.md has the table of what clients saw.
#
# Usage: tests/deploy/hosts/test.sh    (part `hosts` of tests/deploy/run.sh)
#   RATE  requests a second instead of 70 % of the peak, on a busy machine
. "$(dirname "$0")/../lib/steps.sh"

# The last commit of version 0.1.0: what is upgraded.
readonly OLD=51c061df6a30ee969e308cd332dd019a7c9ca026
here=$root/tests/deploy/hosts
old=$CACHE/hosts/flipd-$OLD
tools=$CACHE/hosts
export PYTHONDONTWRITEBYTECODE=1

build_tools() {
    mkdir -p "$tools"
    local flags=(-std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror)

    gcc "${flags[@]}" -o "$tools/cable" "$root/tests/load/cable.c" &&
        gcc "${flags[@]}" -o "$tools/open_loop" "$root/tests/load/open_loop.c"
}

# From the repository's history, with the libmicrohttpd of this tree.
build_old() {
    [ -x "$old" ] && return
    git archive --prefix=old/ "$OLD" | tar -x -C "$work" &&
        ln -s "$root/.deps" "$work/old/.deps" &&
        (cd "$work/old" && cmake --preset release -DTESTS=OFF &&
            cmake --build --preset release --target flipd) &&
        cp "$work/old/build/release/flipd" "$old"
}

has_namespaces() { unshare --net ip link set lo up; }

step "the tools are built" build_tools || finish
if ! git cat-file -e "$OLD^{commit}" 2>/dev/null; then
    lacks "an upgrade from 0.1.0" "this clone has no history as far as $OLD"
    finish
fi
step "version 0.1.0 is built" build_old || finish
if ! has_namespaces 2>/dev/null || [ ! -c /dev/net/tun ]; then
    lacks "hosts on one machine" "no right to network namespaces, or no /dev/net/tun"
    finish
fi
unshare --net tc qdisc add dev lo root netem delay 1ms 2>/dev/null ||
    seen "this kernel has no netem: tests/load/cable.c delays and loses the frames"
python3 "$here/scenarios.py" "$tools/cable" "$tools/open_loop" "$old" "$DAEMON" "$work" ||
    failures=1
cp "$work/table.md" "$tools/"
[ "$failures" = 0 ] || tail -n 20 "$work"/*.log
finish
