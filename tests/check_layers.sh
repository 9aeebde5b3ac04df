#!/bin/sh
# Fails when a folder includes what it may not know. Usage: check_layers.sh ROOT
#
# server -> api -> kernels, never back; jansson stays inside api/,
# libmicrohttpd, libuv and OpenSSL inside server/. The tests of a layer obey its rule.
# The preprocessor is asked, so what comes in through a header counts too.
cd "$1" || exit 2
rc=0

included_by() { # FILE: every header it sees, direct or not, one a line
    ${CC:-cc} -M -MG -I. "$1" | tr -s ' \\' '\n\n' | sed 1d
}

forbid() { # FOLDER PATTERN
    for file in $(find "$1" -name '*.c' -o -name '*.cc'); do
        found=$(included_by "$file" | grep -E "$2") || continue
        echo "$file may not include" $found
        rc=1
    done
}

jansson='(^|/)jansson\.h$'
http='(^|/)(uv|microhttpd|openssl/[a-z0-9_]+)\.h$'
threads='(^|/)(pthread|threads)\.h$'

forbid kernels "^(api|server)/|$jansson|$http|$threads"
forbid tests/kernels "^(api|server)/|$jansson|$http"
for folder in api tests/api tests/vectors; do
    forbid $folder "^server/|$http"
done
forbid tests/fuzz "$http"
forbid server "$jansson"
forbid tests/server "$jansson"
exit $rc
