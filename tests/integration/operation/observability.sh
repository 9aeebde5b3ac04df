#!/bin/bash
# docs/observability.md names every metric and every field of the log, and no
# others: of a daemon that has all that it tells about.
. "$(dirname "$0")/../lib/daemon.sh"

certificate
echo '{"models": []}' >"$work/models.json"
export TLS_CA=$work/cert.pem
start --tls-cert="$work/cert.pem" --tls-key="$work/key.pem" --access-log \
    --log-format=json --models="$work/models.json" --http-max-input-size=1000
url=${url/#http:/https:}
curl_to+=(--cacert "$work/cert.pem")

infer onnx.ReverseSequence "$example" -H \
    'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
answered "a request" 200
infer onnx.ReverseSequence "$(printf '%2000s' '')"
equal "a refused request" 413 "$status"
within 3 grep -q body_too_large "$log" || fail "the refusal is not logged"
python operation/observability.py "$tree/docs/observability.md" "$log"
finish
