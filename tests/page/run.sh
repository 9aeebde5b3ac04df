#!/bin/bash
# Tests the daemon's pages in headless Chromium: answers, by mouse and by keyboard
# alone, the snippets (each is run), files, a restricted daemon, weight, layout
# shifts, what axe finds, no error in the console, no request to other hosts. Takes
# screenshots at phone and desktop width, light and dark, for a human.
#
# Usage: tests/page/run.sh [DAEMON]    default build/release/flipd
# Screenshots go to build/page/. Not part of tests/run.sh: a browser is large.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
daemon=${1:-$root/build/release/flipd}
clients=$root/build/clients/python # shared with tests/clients/run.sh
work=$(mktemp -d)
pids=()

clean() {
    [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap clean EXIT

# Sets $url.
start() { # OPTION...
    local log=$work/log${#pids[@]} address

    "$daemon" --http-port=0 "$@" 2>"$log" &
    pids+=($!)
    for _ in $(seq 100); do
        grep -q 'listening on' "$log" && break
        sleep 0.1
    done
    address=$(sed -nE 's#.*listening on (https?://)?([^ "/]+).*#\2#p' "$log" | head -n 1)
    [ -n "$address" ] || { cat "$log"; exit 1; }
    url=http://$address/
}

cat >"$work/models.json" <<'JSON'
{"models": [{"name": "halves", "op": "openvino.Reverse", "datatype": "FP16",
             "shape": [-1, 3], "attributes": {"mode": "mask"}}]}
JSON

"$root/deploy/install-deps.sh" --page
[ -x "$clients/bin/python" ] || python3 -m venv "$clients"
"$clients/bin/python" -m pip install -q --disable-pip-version-check \
    --constraint "$root/tests/clients/requirements/main.txt" \
    numpy requests 'tritonclient[http]'
mkdir -p "$root/build/page"
start --models="$work/models.json"
open=$url
start --http-restricted-api='inference,metadata,metrics:Authorization=Bearer secret'
NODE_PATH=$root/build/page-tools/node_modules \
    node "$root/tests/page/look.js" "$open" "$url" "$work" "$root/build/page" \
    "$clients/bin/python"
