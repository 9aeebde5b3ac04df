#!/bin/bash
# schemathesis against the contract that the daemon serves.
#
# Usage: fuzz_contract.sh SCHEMATHESIS ADDRESS FOLDER [EXAMPLES a route]
set -euo pipefail

address=http://$2
cd "$3"
# Logging is left alone: what it draws there would fill or empty the log.
"$1" run "$address/openapi.yaml" --url "$address" \
    --max-examples "${4:-100}" --checks all --continue-on-failure \
    --workers 2 --request-timeout 10 --seed 1 --generation-database none \
    --no-color >schemathesis.log 2>&1 || { tail -n 150 schemathesis.log; exit 1; }
tail -n 12 schemathesis.log
