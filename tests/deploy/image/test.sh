#!/bin/bash
# The image, on both Debians' base and on none, in an engine of the test's own: two builds
# give one digest, it is what its labels say, it runs locked down, is healthy at once,
# stops in time, and the integration scripts pass through it; arm64 starts in qemu, and
# an index has both architectures.
. "$(dirname "$0")/../lib/steps.sh"
. "$root/tests/deploy/lib/debian.sh"
. "$root/tests/deploy/lib/python.sh"
. "$root/tests/deploy/lib/engine.sh"
engine_isolate "$@"

readonly user=65532
readonly locked=(--read-only --cap-drop ALL --security-opt no-new-privileges)
readonly most_above_base=15000000
here=$root/tests/deploy/image
product=$root/deploy/image
docs=usr/share/doc
url=http://127.0.0.1:8000
registry=127.0.0.1:5000
example='{"inputs":[{"name":"input","datatype":"INT8","shape":[2,2],"data":[1,2,3,4]},
  {"name":"sequence_lens","datatype":"INT64","shape":[2],"data":[2,1]}]}'
example_answer='"data":[3,2,1,4]'
# Of the integration scripts, those that ask for more than a process with a port.
declare -rA apart=(
    [infer/shm]="it fills a /dev/shm of a mount namespace, which no container sees"
    [limits/container]="it makes a group of its own for the daemon's memory"
    [operation/admin]="it times a second signal, which the engine delivers later"
    [operation/logs]="it closes the standard error, which the engine holds"
    [operation/signals]="it sends more than two signals, and docker's client ends at the third"
    [operation/supervised]="it stands for systemd, whose sockets docker does not hand on"
    [operation/check]="it limits the threads and files of a process it starts itself, here docker's client"
    [operation/options]="it limits the threads and files of a process it starts itself"
)

build() { # NAME OPTION...: leaves $CACHE/NAME.tar and its digest in $work/NAME
    local name=$1

    shift
    "$product/build.sh" --network host --output "$CACHE/$name.tar" "$@" >"$work/out" &&
        awk '{ print $2 }' "$work/out" >"$work/$name"
}

# Nothing that was built is left; the base stays.
# One that others were made of can go after them only.
forget() {
    local base pass

    base=$(docker image inspect "debian:$engine_release-slim" --format '{{.Id}}')
    for pass in {1..20}; do
        docker images -a --no-trunc -q | sort -u | grep -v "$base" |
            xargs --no-run-if-empty docker image rm -f 2>/dev/null
        [ "$(docker images -a -q | wc -l)" != 1 ] || return 0
    done
    equal "images after $pass times" 1 "$(docker images -a -q | wc -l)"
}

one_digest() { # NAME OPTION...
    build "$1-again" "${@:2}" && diff "$work/$1" "$work/$1-again" &&
        cmp "$CACHE/$1.tar" "$CACHE/$1-again.tar" && rm "$CACHE/$1-again.tar"
}

# A list in which the last digit of one version is another.
refuses_other_packages() {
    sed '1s/.$/x/' "$work/root-flipd/$docs/flipd/packages" >"$work/other"
    ! "$product/build.sh" --network host --expect "$work/other" >"$work/refused" 2>&1 &&
        grep "wanted: .*x\$" "$work/refused" && grep "found: " "$work/refused" ||
        { tail -n 20 "$work/refused" && return 1; }
}

unpack() { # IMAGE FOLDER
    local container

    mkdir -p "$work/$2"
    container=$(docker create "$1") && docker export "$container" |
        tar -C "$work/$2" -x --exclude=dev && docker rm "$container"
}

label() { docker image inspect "$1" --format "{{index .Config.Labels \"$2\"}}"; }

equal() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || { echo "$1: expected <$2>, got <$3>" && return 1; }
}

has_labels() { # IMAGE FOLDER
    local oci=org.opencontainers.image name

    equal version "$("$DAEMON" --version | awk '{ print $2 }')" "$(label "$1" $oci.version)" &&
        equal created "$(date -u -d "@$(git log -1 --format=%ct)" +%FT%TZ)" \
            "$(label "$1" $oci.created)" &&
        equal packages "$(xargs <"$work/$2/$docs/flipd/packages")" \
            "$(label "$1" flipd.packages)" &&
        [[ $(label "$1" flipd.packages) =~ libmicrohttpd=[0-9.]+@sha256:[0-9a-f]{64} ]] &&
        [[ $(label "$1" $oci.revision) = "$(git rev-parse HEAD)"* ]] || return
    for name in title description licenses; do
        [ -n "$(label "$1" $oci.$name)" ] || { echo "no $name" && return 1; }
    done
}

has_licences() { # FOLDER
    local name

    grep -v ^build: "$work/$1/$docs/flipd/packages" | sed 's/=.*//' |
        while read -r name; do
            [ -s "$work/$1/$docs/$name/copyright" ] || echo "no licence of $name"
        done | tee "$work/missing"
    [ ! -s "$work/missing" ] && [ -s "$work/$1/$docs/flipd/LICENSE" ] &&
        [ -s "$work/$1/usr/share/common-licenses/Apache-2.0" ]
}

has_bill() { # FOLDER
    "$CACHE/python/bin/python" -B "$here/check_sbom.py" "$work/$1/$docs/flipd"
}

size() { docker image inspect "$1" --format '{{.Size}}'; }

# Of a container, in milliseconds from its start to its first healthy check.
healthy_after() { # NAME
    docker inspect "$1" | jq '.[0].State | def ms: capture("(?<s>.*)[.](?<ms>...).*") |
        ((.s + "Z" | fromdateiso8601) * 1000 + (.ms | tonumber));
        (first(.Health.Log[] | select(.ExitCode == 0)).End | ms) - (.StartedAt | ms)'
}

health_is() { # NAME STATE
    [ "$(docker inspect "$1" --format '{{.State.Health.Status}}' 2>&1)" = "$2" ]
}

up() { # IMAGE [OPTION of the engine...]
    docker run -d --name flipd "${locked[@]}" -p 127.0.0.1:8000:8000 "${@:2}" "$1"
}

down() { docker rm -f flipd >/dev/null 2>&1; }

answers() {
    curl -sS --fail-with-body --max-time 10 "$url/v2/models/onnx.ReverseSequence/infer" \
        -d "$example" | tee "$work/answer" && grep -qF "$example_answer" "$work/answer"
}

is_healthy() { within 20 health_is flipd healthy; }

# Of three starts one, for others may use this machine, too.
healthy_within_a_second() { # IMAGE [OPTION of the engine...]
    local took try

    for try in 1 2 3; do
        took=$(healthy_after flipd)
        echo "start $try: $took ms"
        [ "$took" -ge 1000 ] || return 0
        down
        up "$@" && is_healthy || return
    done
    return 1
}

# It can write nowhere, has no rights and is nobody on the host.
is_locked() {
    local pid

    pid=$(docker inspect flipd --format '{{.State.Pid}}')
    grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' "/proc/$pid/status" >"$work/status"
    cat "$work/status"
    [ "$(awk '/^Uid/ { print $2, $3 }' "$work/status")" = "$user $user" ] &&
        grep -q '^CapEff:.0*$' "$work/status" && grep -q '^NoNewPrivs:.1' "$work/status" &&
        grep -q ' / .*\bro\b' "/proc/$pid/mountinfo"
}

exit_code() { docker inspect flipd --format '{{.State.ExitCode}}'; }

# A request whose body never ends holds the daemon up to its limit; 137 would say that
# the engine had to kill it.
stops_in_time() {
    local start=$EPOCHREALTIME took

    exec {held}<>/dev/tcp/127.0.0.1/8000
    printf 'POST /v2/models/onnx.ReverseSequence/infer HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%*s' \
        'Content-Length: 200000' 100000 '' >&"$held"
    sleep 0.5
    start=$EPOCHREALTIME
    docker stop flipd
    took=$((${EPOCHREALTIME/./} - ${start/./}))
    exec {held}>&-
    seen "docker stop with a request that hangs: $((took / 1000)) ms" >"$work/took"
    equal "exit code" 1 "$(exit_code)" && [ $took -lt 10000000 ]
}

stops_at_once() {
    docker start flipd && is_healthy && docker stop flipd &&
        equal "exit code" 0 "$(exit_code)"
}

has_no_shell() { ! docker run --rm --entrypoint /bin/sh "$1" -c true; }

# Engines before 25 know no shorter interval for the start.
old_engine() {
    local major

    major=$(docker version --format '{{.Server.Version}}')
    [ "${major%%.*}" -lt 25 ]
}

# Of the engine and what it has started, ended processes too, in milliseconds.
engine_time() {
    cat $(pgrep -d ' ' 'dockerd|containerd' | sed -E 's#[0-9]+#/proc/&/stat#g') |
        sed 's/.*) //' | awk '{ sum += $12 + $13 + $14 + $15 } END { print sum * 10 }'
}

# What the health checks of 20 s cost the engine.
health_cost() { # OPTION of the engine...
    local before

    up flipd "$@" >/dev/null || return
    sleep 2
    before=$(engine_time)
    sleep 20
    echo "$(($(engine_time) - before)) ms"
    down
}

scripts() {
    local name

    for name in $(cd tests/integration && ls */*.sh); do
        name=${name%.sh}
        [ "$name" = lib/daemon ] || [ -n "${apart[$name]:-}" ] || echo "$name"
    done
}

# As the user of the container: files that a script makes are the daemon's to read.
integration() { # IMAGE SCRIPT...
    local tmp=$work/tmp

    chmod 755 "$work" "$work/engine" && chmod 666 "$work/engine/socket" &&
        install -d -o $user -g $user "$tmp" &&
        IMAGE=$1 TMPDIR=$tmp HOME=$tmp setpriv --reuid=$user --regid=$user \
            --clear-groups tests/integration/run.sh "$here/contained.sh" "${@:2}"
}

index_of_both() {
    python3 -B "$product/index.py" "$CACHE/both.tar" "$CACHE/bare.tar" "$CACHE/arm64.tar" \
        >"$work/both" && seen "flipd:bare, amd64 and arm64: $(cat "$work/both")" >"$work/index"
}

registry_answers() { curl -sf -o "$work/registry.answer" http://127.0.0.1:5000/v2/; }

# A registry of the test's own.
registry() {
    mkdir -p "$work/registry"
    printf '%s\n' 'version: 0.1' 'http: {addr: "127.0.0.1:5000"}' \
        "storage: {filesystem: {rootdirectory: $work/registry}}" >"$work/registry.yml"
    docker-registry serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
    at_end kill $!
    within 10 registry_answers
}

publish() { # FILE NAME OPTION...
    skopeo copy --preserve-digests --dest-tls-verify=false "${@:3}" "oci-archive:$1" \
        "docker://$registry/$2:latest"
}

# The registry takes the file, and the engine gets the image from there by the digest
# that the build printed.
is_published() {
    local name=$registry/flipd code

    publish "$CACHE/debian.tar" flipd && docker pull "$name@$(cat "$work/debian")" &&
        up "$name@$(cat "$work/debian")" && within 10 answers
    code=$?
    down
    return $code
}

# By the index' digest each platform gets its own image.
is_published_for() { # ARCHITECTURE IMAGE
    local name

    name=$registry/both@$(cat "$work/both")
    docker pull --platform "linux/$1" "$name" &&
        equal architecture "$1" "$(docker image inspect "$name" --format '{{.Architecture}}')" &&
        equal image "$(docker image inspect "$2" --format '{{.Id}}')" \
            "$(docker image inspect "$name" --format '{{.Id}}')" || return
    docker image rm "$name" # the engine keeps one platform of a digest
}

# The blocks that need docker are run, not passed over.
readme_in_a_container() {
    tests/docs/run.sh --container "$DAEMON" README.md >"$work/readme" 2>&1
    local code=$?

    cat "$work/readme"
    [ $code = 0 ] && ! grep -q 'needs docker' "$work/readme"
}

# What holds of both images.
image() { # IMAGE FOLDER
    local often=()

    ! old_engine || often=(--health-interval=800ms)
    step "$1: labels of OCI, with all versions" has_labels "$1" "$2"
    step "$1: every package's licence is inside" has_licences "$2"
    step "$1: SPDX's tools accept the bill of materials" has_bill "$2"
    step "$1: starts locked down" up "$1" "${often[@]}" || return
    step "$1: is healthy" is_healthy
    step "$1: within a second" healthy_within_a_second "$1" "${often[@]}"
    seen "$1: healthy $(healthy_after flipd) ms after its start ${often[*]}"
    step "$1: answers" answers
    step "$1: user $user, no rights, nothing to write to" is_locked
    step "$1: docker stop is not a kill" stops_in_time
    cat "$work/took"
    step "$1: stops with 0 when nothing runs" stops_at_once
    down
}

starts_in_qemu() {
    local qemu

    qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
    docker run -d --name flipd "${locked[@]}" -p 127.0.0.1:8000:8000 --no-healthcheck \
        --platform linux/arm64 -v "$qemu:/qemu:ro" --entrypoint /qemu \
        flipd:bare-arm64 -cpu max,pauth-impdef=on /usr/bin/flipd &&
        within 20 answers || { docker logs flipd && return 1; }
}

# Without docker: what the scripts of this folder do with files.
step "seal.py" python3 -B "$here/test_seal.py"
if ! engine_to_build; then
    lacks "all of the engine's" "$engine_reason"
    finish
fi
seen "engine $(docker version --format '{{.Server.Version}}'), client" \
    "$(docker version --format '{{.Client.Version}}')"
step "spdx-tools of PyPI" python_with spdx-tools==0.8.5
step "a base by debootstrap" engine_base || finish
step "flipd: is built" build debian || finish
step "flipd:bare: is built" build bare --bare || finish
unpack flipd root-flipd >/dev/null
unpack flipd:bare root-bare >/dev/null
step "other packages are refused" refuses_other_packages
step "the engine forgets them" forget
step "flipd: two builds, one digest" one_digest debian &&
    seen "flipd: $(cat "$work/debian")"
step "flipd:bare: two builds, one digest" one_digest bare --bare &&
    seen "flipd:bare: $(cat "$work/bare")"
step "flipd:bare-arm64: is built" build arm64 --bare --cross arm64
step "an index of both architectures" index_of_both && cat "$work/index"
step "a base of Debian 12" engine_base bookworm &&
    step "flipd:bookworm: is built" build bookworm --base debian:bookworm-slim \
        --tag flipd:bookworm && unpack flipd:bookworm root-bookworm >/dev/null
[ "$(dpkg --print-architecture)" = arm64 ] || lacks "arm64 on Debian's base" \
    "its packages' own scripts run in the build, which wants an arm64 machine, or one that runs arm64 programs for everybody (binfmt)"

engine_start || die "$engine_reason"
image flipd root-flipd
image flipd:bare root-bare
if [ -d "$work/root-bookworm" ]; then
    image flipd:bookworm root-bookworm
    seen "flipd:bookworm: $(size flipd:bookworm) bytes," \
        "$(($(size flipd:bookworm) - $(size debian:bookworm-slim))) above its base"
fi
above=$(($(size flipd) - $(size debian:$engine_release-slim)))
seen "flipd: $(size flipd) bytes, $above above its base; flipd:bare: $(size flipd:bare)"
step "flipd: at most $most_above_base bytes above its base" [ $above -le $most_above_base ]
step "flipd:bare: has no shell" has_no_shell flipd:bare
step "flipd:bare-arm64: starts in qemu and answers" starts_in_qemu
down
seen "20 s of health checks cost: every 10 s $(health_cost), every 0.8 s" \
    "$(health_cost --health-interval=800ms), none $(health_cost --no-healthcheck)"
if step "a registry" registry; then
    step "flipd: published there, pulled by its digest" is_published
    step "the index: published there" publish "$CACHE/both.tar" both --all
    step "the index: pulled for amd64" is_published_for amd64 flipd:bare
    step "the index: pulled for arm64" is_published_for arm64 flipd:bare-arm64
fi
# shellcheck disable=SC2046 # names without blanks
step "flipd: the integration scripts through it" integration flipd $(scripts)
for name in "${!apart[@]}"; do
    lacks "$name through it" "${apart[$name]}"
done
step "flipd:bare: some of them" integration flipd:bare infer/json transport/framing
step "README.md in a container" readme_in_a_container

# The engine that obeys what the published image says of its health.
if old_engine && ! engine_newer; then
    lacks "engine 25 or later" "$engine_reason"
elif ! old_engine && step "loaded" docker load -i "$CACHE/debian.tar"; then
    engine="engine $(docker version --format '{{.Server.Version}}')"
    step "$engine: knows the same image" equal digest \
        "$(tar -xOf "$CACHE/debian.tar" manifest.json | jq -r '.[0].Config' | sed 's#.*/#sha256:#')" \
        "$(docker image inspect flipd --format '{{.Id}}')"
    step "$engine: starts locked down" up flipd
    step "$engine: is healthy" is_healthy
    step "$engine: within a second" healthy_within_a_second flipd
    seen "$engine: healthy $(healthy_after flipd) ms after its start"
    down
fi
finish
