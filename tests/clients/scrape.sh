#!/bin/bash
# What Prometheus makes of /metrics: promtool has nothing to say about flipd's own
# names (Triton's keep their form), and Prometheus' own parser for Python reads it.
#
# Usage: scrape.sh ADDRESS FOLDER PYTHON
set -uo pipefail

url=http://$1 work=$2 python=$3
. "$(dirname "$0")/check.sh"

curl -sSf -o "$work/text" "$url/metrics" || exit 1

promtool check metrics <"$work/text" >"$work/promtool" 2>&1
check "promtool reads the text" "" "$(grep -i 'error' "$work/promtool")"
check "promtool about flipd's names" "" "$(grep -v '^nv_' "$work/promtool")"
check "promtool about Triton's" true \
    "$(grep -q '^nv_' "$work/promtool" && echo true)"

check "prometheus_client reads the text" true \
    "$("$python" - "$work/text" 2>&1 <<'END'
import sys

from prometheus_client import parser

with open(sys.argv[1], encoding="utf-8") as file:
    families = list(parser.text_string_to_metric_families(file.read()))
print("true" if any(family.name == "flipd_http_requests" and family.samples
                    for family in families) else families)
END
)"
finish
