#!/bin/bash
# A tensor of 256 MiB is reversed in place: the daemon's peak memory is little
# more than the body. FLIPD_SLOW=0 leaves it out.
. "$(dirname "$0")/../lib/daemon.sh"

if [ "$slow" = 0 ]; then
    echo "  left out"
    exit 0
fi

mib=256
body_bytes=$(((mib + 1) << 20))
start --http-max-input-size=$body_bytes
read -r length digest _ < <(python large.py make $mib "$work/request")

for round in 1 2; do
    ask POST /v2/models/onnx.ReverseSequence/infer -T "$work/request" \
        -H "Inference-Header-Content-Length: $length"
    equal "$mib MiB, round $round: status ($(head -c 300 <<<"$body"))" 200 \
        "$status"
    split=$(header Inference-Header-Content-Length)
    equal "$mib MiB, round $round: digest" "$digest" \
        "$(tail -c +$((split + 1)) "$work/body" | sha256sum | cut -d' ' -f1)"
done
# Sanitizers need memory for shadows and keep freed blocks.
if [ "$scale" = 1 ]; then
    at_most "peak of resident memory in KiB" \
        $((mib * 1024 * 3 / 2 + 30 * 1024)) "$(memory_kib VmHWM)"
fi
healthy "$mib MiB"
finish
