#!/bin/bash
# Tests the daemon's page in headless Chromium: the form's answers, by mouse and
# by keyboard alone, no error in the console, no request to other hosts. Takes
# screenshots at phone and desktop width, light and dark, for a human.
#
# Usage: tests/page/run.sh [DAEMON]    default build/release/flipd
# Screenshots go to build/page/. Not part of tests/run.sh: a browser is large.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
daemon=${1:-$root/build/release/flipd}
work=$(mktemp -d)
pid=

clean() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap clean EXIT

cat >"$work/models.json" <<'END'
{"models": [{"name": "halves", "op": "openvino.Reverse", "datatype": "FP16",
             "shape": [-1, 3], "attributes": {"mode": "mask"}}]}
END

"$root/deploy/install-deps.sh" --page
mkdir -p "$root/build/page"
"$daemon" --http-port=0 --models="$work/models.json" 2>"$work/log" &
pid=$!
for _ in $(seq 100); do
    grep -q 'listening on' "$work/log" && break
    sleep 0.1
done
address=$(sed -nE 's/.*listening on ([^ "]+).*/\1/p' "$work/log" | head -n 1)
[ -n "$address" ] || { cat "$work/log"; exit 1; }
NODE_PATH=$root/build/page-tools/node_modules \
    node "$root/tests/page/look.js" "http://$address/" "$work/profile" \
    "$root/build/page"
