# Sourced by test.sh: commands in the root of a Debian, and a systemd booted in it.
#
# All mounts are made in a namespace that ends with the command, so that nothing of this
# machine hangs below a folder that is removed.

# Runs COMMAND in $root, as root, with the network of this machine.
inside() { # COMMAND...
    unshare --mount --propagation private --pid --fork --kill-child sh -ec '
        mount -t proc proc "$0/proc"
        mount -t tmpfs tmpfs "$0/dev/shm"
        exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" "$@"' "$root" "$@"
}

# Runs a function of the caller's with a network of its own.
isolated() { # FUNCTION [ARGUMENT...]
    unshare --mount --propagation private --net --pid --fork --kill-child bash -c "
        $(declare -f "$1")
        ip link set lo up && mount -t proc proc '$root/proc' && \"\$@\"" _ "$@"
}

readonly example='{"inputs":[
    {"name":"data","datatype":"INT8","shape":[2],"data":[1,2]},
    {"name":"axis","datatype":"INT32","shape":[1],"data":[0]}],
    "parameters":{"mode":"index"}}'
export example

# --- a machine: systemd in $root, by systemd-nspawn ---

machine=  # the process of systemd-nspawn
leader=   # the machine's first process

# Without a service manager here nobody can be asked for a place of the machine's own, so
# it takes one below the root of the control groups.
machine_start() {
    echo flipd-test >"$root/etc/hostname"
    systemd-nspawn --quiet --register=no --keep-unit --boot --directory="$root" \
        --private-network --console=pipe </dev/null >"$work/console" 2>&1 &
    machine=$!
    within 60 machine_runs
}

machine_runs() {
    kill -0 "$machine" || return 0
    leader=$(pgrep -P "$machine" | head -n 1)
    [ -n "$leader" ] &&
        [[ $(in_machine systemctl is-system-running 2>/dev/null) =~ ^(running|degraded)$ ]]
}

machine_is_up() { [ -n "$leader" ] && kill -0 "$machine" 2>/dev/null; }

machine_stop() {
    [ -n "$machine" ] || return 0
    kill -TERM "$machine" 2>/dev/null
    within 30 machine_has_ended || kill -KILL "$machine" 2>/dev/null
    wait "$machine" 2>/dev/null
    # The groups that the machine has left, all empty.
    find /sys/fs/cgroup{,/systemd,/unified}/{payload,supervisor} -depth -type d \
        -exec rmdir {} \; 2>/dev/null
    machine='' leader=''
}

machine_has_ended() { ! kill -0 "$machine" 2>/dev/null; }

in_machine() { nsenter --target "$leader" --all "$@"; }
ask_machine() { # PATH [CURL-OPTION...]
    nsenter --target "$leader" --net curl -sS --max-time 10 "http://127.0.0.1:8000$1" "${@:2}"
}
of_service() { in_machine systemctl show --property="$1" --value flipd.service; } # PROPERTY

service_is() { # PROPERTY VALUE
    [ "$(of_service "$1")" = "$2" ]
}

# Settings of the unit, a line each, from now on.
drop_in() { # LINE...
    mkdir -p "$root/etc/systemd/system/flipd.service.d"
    printf '%s\n' '[Service]' "$@" >"$root/etc/systemd/system/flipd.service.d/test.conf"
    in_machine systemctl daemon-reload && in_machine systemctl restart flipd.service
}

says_ready() {
    service_is SubState running && service_is StatusText 'serving at 127.0.0.1:8000' &&
        ask_machine /v2/health/ready | grep -qF '"ready":true' &&
        ask_machine /v2/models/openvino.Reverse/infer -d "$example" | grep -F '"data":[2,1]'
}

is_locked_down() {
    local status

    status=$(in_machine cat "/proc/$(of_service MainPID)/status") && echo "$status" || return
    grep -qE '^Seccomp:\s2' <<<"$status" && grep -qE '^NoNewPrivs:\s1' <<<"$status" &&
        grep -qE '^CapEff:\s0+$' <<<"$status" && ! grep -qE '^Uid:\s0' <<<"$status"
}

# Loops before workers: the unit lets it set priorities.
has_priorities() {
    in_machine sh -c "cat /proc/$(of_service MainPID)/task/*/stat" | awk '{print $19}' |
        sort -n | uniq | xargs | grep -x '0 5 10'
}

reloads() {
    echo '{"models": [{"name": "flip", "op": "openvino.Reverse"}]}' >"$root/etc/flipd/models.json"
    drop_in Environment=FLIPD_MODELS=/etc/flipd/models.json &&
        echo '{"models": [{"name": "flop", "op": "openvino.Reverse"}]}' >"$root/etc/flipd/models.json" &&
        in_machine systemctl reload flipd.service && within 5 serves_model flop || return
    echo '{' >"$root/etc/flipd/models.json"
    in_machine systemctl reload flipd.service &&
        within 5 says_reload_failed && serves_model flop
}

serves_model() { ask_machine "/v2/models/$1" -f; }

says_reload_failed() { of_service StatusText | grep 'last reload failed'; }

# The key is root's; the service gets it as a credential.
serves_tls() {
    mkdir -p "$root/root/tls"
    python3 tests/integration/lib/host.py certificate "$root/root/tls" &&
        chmod 600 "$root/root/tls/key.pem" &&
        drop_in LoadCredential=key:/root/tls/key.pem LoadCredential=cert:/root/tls/cert.pem \
            Environment=FLIPD_TLS_KEY=%d/key Environment=FLIPD_TLS_CERT=%d/cert &&
        nsenter --target "$leader" --net curl -sSf --max-time 10 \
            --cacert "$root/root/tls/cert.pem" https://127.0.0.1:8000/v2/health/ready
}

# A client's object in /dev/shm, which the service may write to.
takes_shared_memory() {
    drop_in Environment=FLIPD_ALLOW_CLIENT_SHM=true &&
        in_machine sh -c 'head -c 64 /dev/zero >/dev/shm/test && chmod 666 /dev/shm/test' &&
        ask_machine /v2/systemsharedmemory/region/r/register -f \
            -d '{"key": "/test", "offset": 0, "byte_size": 64}' &&
        ask_machine /v2/systemsharedmemory/status | grep '"r"'
}

# The daemon reads the limit of its group, and shares that out.
keeps_to_memory_max() {
    drop_in MemoryMax=512M && in_machine journalctl --no-pager --unit=flipd.service |
        grep 'memory at most' | tail -n 1 | grep 'limit=483183820'
}

memory_is_controlled() {
    local group

    drop_in MemoryMax=512M && group=$(of_service ControlGroup) &&
        [ -e "/proc/$leader/root/sys/fs/cgroup$group/memory.max" ]
}

# Stopped whole, it gives no sign of life.
is_ended_when_it_hangs() {
    local before

    drop_in WatchdogSec=2 && sleep 3 && service_is NRestarts 0 || return
    before=$(of_service MainPID)
    in_machine sh -c "kill -STOP $before"
    within 15 service_is NRestarts 1 && within 10 says_ready &&
        in_machine journalctl --no-pager --unit=flipd.service | grep 'Watchdog timeout'
}

# Clients connect anew for each request as long as COMMAND runs; $figure counts them.
none_lost_during() { # COMMAND...
    local code clients

    rm -f "$work/enough"
    nsenter --target "$leader" --net tests/deploy/host/clients.py 8000 "$work/enough" \
        >"$work/asked" &
    clients=$!
    sleep 1
    "$@"
    code=$?
    sleep 1
    touch "$work/enough"
    wait "$clients"
    figure=$(cat "$work/asked")
    [ $code = 0 ] && [[ $figure == *" asked, 0 lost" && $figure != "0 "* ]]
}

restart_often() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        in_machine systemctl restart flipd.service || return
        sleep 0.2
    done
}

# The line of deploy/README.md that installs the package, and the blocks of the page of
# deploy/host, each as it stands, from a folder with the package.
run_readme() {
    local file

    mkdir -p "$root/root/readme/build/deb" && cp "$old" "$root/root/readme/build/deb/" || return
    each_block deploy/host/README.md host "$root/root/blocks" && block 'cpack' deploy/README.md &&
        grep '^apt-get' "$work/block" >"$root/root/blocks/00" || return
    rm -f "$root/etc/systemd/system/flipd.service.d/test.conf"
    in_machine systemctl daemon-reload
    for file in "$root"/root/blocks/*; do
        in_machine sh -exc "cd /root/readme && . /root/blocks/${file##*/}" || return
    done
}

with_sockets() {
    drop_in && in_machine systemctl stop flipd.service &&
        in_machine systemctl enable --now flipd.socket flipd-admin.socket &&
        ask_machine /v2/health/ready | grep true &&
        nsenter --target "$leader" --net curl -sSf http://127.0.0.1:8002/metrics |
        grep flipd_build_info
}

upgrade_in_machine() {
    cp "$new" "$root/root/new.deb" && in_machine dpkg --install /root/new.deb &&
        in_machine flipd --version | grep -F "$next"
}

purge_in_machine() {
    in_machine dpkg --purge flipd && ! in_machine systemctl cat flipd.service 2>/dev/null &&
        ! in_machine getent passwd flipd
}

boot_of() { # RELEASE
    step "$1: systemd and the package" eval "inside apt-get -q -y install \
        --no-install-recommends systemd systemd-sysv dbus curl && install '$old'" || return
    machine_start
    if ! machine_is_up; then
        lacks "$1: under systemd" "it does not boot here: $(tail -n 3 "$work/console" | xargs)"
        machine_stop
        return
    fi
    seen "$1: booted $(in_machine systemctl --version | head -n 1)"
    step "$1: the service runs, and says so" within 10 says_ready
    step "$1: it has no privileges left" is_locked_down
    step "$1: its workers have a lower priority than its loops" has_priorities
    step "$1: reload, of a bad file too" reloads
    step "$1: https with a key that only root can read" serves_tls
    step "$1: shared memory of clients" takes_shared_memory
    if memory_is_controlled; then
        step "$1: it keeps to MemoryMax=" keeps_to_memory_max
    else
        lacks "$1: MemoryMax=" "no memory controller of cgroup v2 is handed to a container here"
    fi
    step "$1: one that hangs is ended and started again" is_ended_when_it_hangs
    step "$1: the commands of the pages" run_readme
    step "$1: ports that systemd opens" with_sockets &&
        step "$1: ten restarts lose no connection" none_lost_during restart_often &&
        seen "$1: ten restarts behind flipd.socket: $figure"
    step "$1: nor does an upgrade" none_lost_during upgrade_in_machine &&
        seen "$1: an upgrade behind flipd.socket: $figure"
    step "$1: purged under systemd" purge_in_machine
    machine_stop
}
