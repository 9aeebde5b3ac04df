#!/bin/bash
# schemathesis with the daemon's own contract: the answers to valid requests, to
# invalid ones and to other methods.
#
# Usage: fuzz_contract.sh SCHEMATHESIS ADDRESS FOLDER EXAMPLES ROUTES
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$3/schemathesis.log
cd "$3" # schemathesis writes files into the current folder

if ! "$1" --config-file "$here/schemathesis.toml" run \
    "http://$2/openapi.yaml" --url "http://$2" --max-examples "$4" \
    --include-path-regex "$5" \
    --continue-on-failure --workers 1 --request-timeout 10 \
    --generation-database none --no-color >"$log" 2>&1; then
    tail -n 200 "$log"
    exit 1
fi
grep -E '^ *[0-9]+ generated|^Seed' "$log" | sed 's/^ */  /'

# The routes as the metrics name them: each with and without a version.
curl -sS "http://$2/metrics" | awk -F'"' '
    /^flipd_http_requests_total/ { sub(/.*} /, "", $NF); count[$2] += $NF }
    END { for (route in count) printf "  %d requests: %s\n", count[route], route }
' | sort -k3
