#!/bin/bash
# The backend of deploy/triton in the server that PyTriton's wheel carries: built and
# started by the commands of its page, asked for the published vectors beside the daemon,
# and as a step of the ensemble of docs/examples/triton. A part of tests/deploy/run.sh.
#
# Usage: tests/deploy/triton/test.sh
. "$(dirname "$0")/../lib/steps.sh"
. "$root/tests/deploy/lib/page.sh"

readonly WHEEL=nvidia-pytriton==0.7.0
export PYTHONDONTWRITEBYTECODE=1
here=$root/tests/deploy/triton
venv=$CACHE/triton
read -r port daemon_port <<<"$(python3 tests/integration/lib/host.py port 2)"
readonly ours=127.0.0.1:$port daemon=127.0.0.1:$daemon_port

wheel() {
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || return
    outside "$venv/bin/pip" install -q --disable-pip-version-check "$WHEEL"
}

# Where the wheel has the server, whose Python backend wants the stub of this Python.
server() {
    home=$(echo "$venv"/lib/python3*/site-packages/pytriton/tritonserver)
    packages=${home%/pytriton/tritonserver}
    local version=${packages%/site-packages}

    cp "$home/python_backend_stubs/${version##*/python}/triton_python_backend_stub" \
        "$home/backends/python/" && [ -x "$home/bin/tritonserver" ]
}

page_block() { block "$1" "${2:-deploy/triton/README.md}"; } # PATTERN [PAGE]

builds() { page_block 'target triton_flip' && bash -ex "$work/block"; }

# Outside nothing is seen but the functions that Triton calls.
symbols() {
    nm -D --defined-only build/release/triton/backends/flip/libtriton_flip.so |
        awk '{ print $3 }' | tee "$work/symbols"
    [ "$(sort "$work/symbols" | tr -d '\n')" = "$(printf 'TRITONBACKEND_Model%s' \
        Finalize Initialize InstanceExecute)" ]
}

start() { # NAME COMMAND...
    "${@:2}" >"$work/$1.log" 2>&1 &
    echo $! >"$work/$1.pid"
    at_end stop "$1"
}

stop() { # NAME
    kill "$(<"$work/$1.pid")" 2>/dev/null
    wait "$(<"$work/$1.pid")" 2>/dev/null
    true
}

# The page's commands, with the wheel's folder for that of Triton's image; the server has the
# tests' models and the example's too, and a port of its own.
start_triton() {
    mkdir "$work/bin"
    cp -r docs/examples/triton/models "$work/example" # Python writes into it
    cat >"$work/bin/tritonserver" <<SH
#!/bin/sh
exec env -i PATH="$venv/bin:$PATH" VIRTUAL_ENV="$venv" LC_ALL=C.UTF-8 PYTHONPATH="$packages" \
    LD_LIBRARY_PATH="$packages/nvidia_pytriton.libs" PYTHONDONTWRITEBYTECODE=1 \
    "$home/bin/tritonserver" "\$@" --backend-directory="$home/backends" \
    --model-repository="$work/example" --model-repository="$work/models" \
    --exit-on-error=false --strict-readiness=false --allow-grpc=false --allow-metrics=false \
    --http-address=127.0.0.1 --http-port=$port
SH
    chmod +x "$work/bin/tritonserver"
    page_block '/opt/tritonserver' &&
        sed -i "s#/opt/tritonserver#$home#; s/^tritonserver/exec &/" "$work/block" || return
    start triton env PATH="$work/bin:$PATH" bash -ex "$work/block"
    within 90 ready "$ours/v2/models/rescoring_python/ready"
}

ready() { curl -sf -m 5 -o "$work/reply" "http://$1"; } # URL

ask_block() { # PATTERN [PAGE]
    page_block "$@" && sed -i "s#127.0.0.1:8000#$ours#" "$work/block" && bash -ex "$work/block"
}

check() { python3 "$here/check.py" "$@"; }

# A step whose figures are shown.
check_and_say() { step "$1" check "${@:2}" && grep '^seen ' "$work/step"; } # WHAT ARGUMENT...

case $(uname -m) in
x86_64 | aarch64) ;;
*) lacks "Triton" "there is no wheel for $(uname -m)" && finish ;;
esac
step "$WHEEL is installed" wheel && step "it holds a server" server || finish
step "the page's commands build the backend" builds || finish
seen "the library has $(stat -Lc %s build/release/triton/backends/flip/libtriton_flip.so) bytes"
step "it shows three functions" symbols
check repository "$work/models" build/release/tables.json
start daemon "$DAEMON" --http-port="$daemon_port"
within 10 ready "$daemon/v2/health/ready" || die "no daemon"
step "Triton starts" start_triton || { tail -n 40 "$work/triton.log" && finish; }
seen "$(curl -sS "http://$ours/v2" | jq -r '.name + " " + .version')"
step "the page's request is answered" ask_block '/infer'
step "Triton loads no wrong model, and says why" check refused "$ours"
check_and_say "the published vectors" vectors "$ours" "$daemon"
step "hostile requests get the daemon's sentences" check hostile "$ours" "$daemon"
step "tensors in many parts" check parts "$ours"
step "shared memory: apart, in place, overlapping" check shared "$ours"
step "Triton counts requests" check figures "$ours"
step "both ensembles of the example give the same" check ensemble "$ours"
step "the example compares them" ask_block 'rescore.py' docs/examples/triton/README.md &&
    grep ' ms$' "$work/step" | sed 's/^/seen    /'
kill -TERM "$(<"$work/triton.pid")"
step "Triton ends" wait "$(<"$work/triton.pid")"
finish
