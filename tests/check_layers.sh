#!/bin/sh
# Fails when a folder includes what it may not know. Usage: check_layers.sh ROOT
#
# server -> api -> kernels, never back; jansson stays inside api/,
# libmicrohttpd and libuv inside server/. The tests of a layer obey its rule.
cd "$1" || exit 2
rc=0

forbid() { # FOLDER PATTERN
    [ -d "$1" ] || return
    if grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" "$1" \
        --include='*.c' --include='*.h' --include='*.cc' --include='*.inc'; then
        echo "check_layers: $1 may not include that" >&2
        rc=1
    fi
}

for tests in '' tests/; do
    forbid "${tests}kernels" 'api/|server/|jansson|uv\.h|uv/|microhttpd|pthread'
    forbid "${tests}api" 'server/|uv\.h|uv/|microhttpd'
    forbid "${tests}server" 'jansson'
done
forbid tests/vectors 'server/|uv\.h|uv/|microhttpd'
forbid tests/fuzz 'uv\.h|uv/'

# A type of a library in a header of ours would carry it across a layer.
if grep -nE '\b(json_t|uv_[a-z_]+_t)\b|\bMHD_' kernels/*.h api/*.h; then
    echo "check_layers: a library's type is in a layer's header" >&2
    rc=1
fi
exit $rc
