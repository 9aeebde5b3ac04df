#!/bin/bash
# What a call may ask for: sizes, tokens, TLS; and what is told of it afterwards.
. "$(dirname "$0")/../lib/daemon.sh"

echo 'Bearer token-1' >"$work/token"
start --grpc-port=0 --grpc-max-message=100000 --access-log --log-format=json \
    --http-restricted-api 'inference,model-config:Authorization=@'"$work/token"
python limits.py "$grpc"
counts flipd_inflight_bytes 0
names_the_call() { grep -q '/inference.GRPCInferenceService/ModelInfer' "$log"; }
succeeds "the access log names the call" within 3 names_the_call
stop

certificate
start --grpc-port=0 --tls-cert="$work/cert.pem" --tls-key="$work/key.pem"
TLS_CA=$work/cert.pem python tls.py "$grpc"
finish
