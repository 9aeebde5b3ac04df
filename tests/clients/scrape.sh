#!/bin/bash
# What Prometheus makes of /metrics: promtool has nothing to say about flipd's own
# names (Triton's keep their form), and Prometheus' own parser for Python reads both
# formats, with the trace of a request beside its bucket.
#
# Usage: scrape.sh ADDRESS FOLDER PYTHON
set -uo pipefail

url=http://$1 work=$2 python=$3
trace=4bf92f3577b34da6a3ce929d0e0e4736
. "$(dirname "$0")/check.sh"

curl -sS -o "$work/reply" "$url/v2/models/openvino.Reverse/infer" -d '{}' \
    -H "traceparent: 00-$trace-00f067aa0ba902b7-01" || exit 1
curl -sSf -o "$work/text" "$url/metrics" || exit 1
curl -sSf -o "$work/openmetrics" -H 'Accept: application/openmetrics-text' \
    "$url/metrics" || exit 1

promtool check metrics <"$work/text" >"$work/promtool" 2>&1
check "promtool reads the text" "" "$(grep -i 'error' "$work/promtool")"
check "promtool about flipd's names" "" "$(grep -v '^nv_' "$work/promtool")"
check "promtool about Triton's" true \
    "$(grep -q '^nv_' "$work/promtool" && echo true)"

check "both formats, read by prometheus_client" "same families, $trace" \
    "$("$python" - "$work" "$trace" 2>&1 <<'END'
import sys

from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client import parser as text

folder, trace = sys.argv[1:]


def families(parser, name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return list(parser.text_string_to_metric_families(file.read()))


def names(found):
    return {family.name.removesuffix("_total") for family in found}


old, new = families(text, "text"), families(openmetrics, "openmetrics")
traces = {sample.exemplar.labels["trace_id"]
          for family in new for sample in family.samples if sample.exemplar}
same = "same families" if names(old) == names(new) else names(old) ^ names(new)
print(f"{same}, {trace if trace in traces else traces}")
END
)"
finish
