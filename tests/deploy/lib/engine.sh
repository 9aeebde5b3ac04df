# Sourced after steps.sh and debian.sh: a Docker Engine of the test's own, from Debian's
# docker.io. Wants root, and namespaces.
#
#   engine_isolate "$@"  the first thing a part does: it starts the part again in
#                        namespaces of its own, so that bridges, firewall rules, mounts
#                        and published ports meet nothing else on this machine, and
#                        all of it ends with the part
#   engine_start         DOCKER_HOST is an engine with bridges and published ports, but
#                        without a way out; fails, with $engine_reason, where none runs
#   engine_to_build      the same, with the network of this machine and no bridge
#   engine_newer         the same as engine_start, with Debian 13's engine, which on
#                        Debian 12 runs in a folder; its images are its own
#   engine_newer_client  `docker` is of that release, too, and knows `docker compose`
#   engine_base [RELEASE]  debian:RELEASE-slim is there, trixie without a name:
#                        debootstrap's, as no registry of images is asked
#   engine_image         flipd:latest is there, built from this tree
#   engine_stop          the end of it; images and volumes are kept in $CACHE/engine
#
# The two forms of the engine share images, and one runs at a time.
readonly engine_release=trixie
engine_reason=
engine_pid=
engine_images=$CACHE/engine

engine_isolate() { # ARGUMENT... of the part
    [ -z "${ENGINE_ISOLATED:-}" ] || return 0
    unshare --net --mount --pid --fork true 2>/dev/null || return 0
    # Descriptor 7 stays in the network of this machine.
    exec 7</proc/self/ns/net
    trap - EXIT
    rm -rf "$work"
    exec unshare --net --mount --pid --fork --kill-child --mount-proc \
        env ENGINE_ISOLATED=1 "$0" "$@"
}

engine_answers_or_ended() {
    docker version >/dev/null 2>&1 || ! kill -0 "$engine_pid" 2>/dev/null
}

engine_run() { # COMMAND... before dockerd's OPTION...
    local folder=$work/engine

    engine_stop
    [ -n "${ENGINE_ISOLATED:-}" ] ||
        { engine_reason="it wants root, and may make no namespaces here"; return 1; }
    command -v dockerd >/dev/null ||
        { engine_reason="docker.io is not installed"; return 1; }
    ip link set lo up
    mkdir -p "$folder" "$engine_images"
    "$@" --host "unix://$folder/socket" --data-root "$engine_images" \
        --exec-root "$folder/exec" --pidfile "$folder/pid" \
        --cgroup-parent "/flipd-${work##*.}" >"$folder/log" 2>&1 &
    engine_pid=$!
    export DOCKER_HOST=unix://$folder/socket
    if within 30 engine_answers_or_ended && docker version >/dev/null 2>&1; then
        # A part that was killed leaves its containers beside the images.
        docker ps -aq | xargs -r docker rm -f >/dev/null
        return 0
    fi
    engine_reason="dockerd does not run here: $(grep -E 'level=(fatal|error)|^failed' \
        "$folder/log" | tail -n 1)"
    engine_stop
    return 1
}

engine_start() {
    engine_images=$CACHE/engine
    engine_run dockerd
}

engine_to_build() {
    engine_images=$CACHE/engine
    engine_run nsenter --net=/proc/self/fd/7 -- dockerd --bridge=none \
        --iptables=false --ip6tables=false
}

# A folder with Debian 13's engine, as a mount, with what it shares with this machine.
engine_newer_root() { # FOLDER
    local folder

    if [ ! -x "$1/usr/bin/docker-compose" ]; then
        rm -rf "$1"
        debian_root trixie "$1" &&
            debian_install "$1" docker.io docker-cli docker-compose iptables || return
    fi
    mount --bind "$1" "$1" || return
    for folder in /proc /sys /dev; do
        mount --rbind "$folder" "$1$folder" || return
    done
    for folder in "$root" "$work" "$CACHE"; do
        mkdir -p "$1$folder" && mount --bind "$folder" "$1$folder" || return
    done
}

engine_newer() { # [FOLDER with its images and volumes]
    local folder=$CACHE/engine-newer-root

    engine_images=${1:-$CACHE/engine-newer}
    engine_newer_root "$folder" >"$work/newer" 2>&1 || {
        engine_reason="Debian 13's engine is not to be had: $(tail -n 1 "$work/newer")"
        return 1
    }
    # A root that was only changed into is not a container's: `docker exec` would enter
    # the one of this machine.
    engine_run unshare --mount -- sh -c 'cd "$0" && pivot_root . mnt &&
        umount -l /mnt && exec "$@"' "$folder" dockerd
}

engine_newer_client() {
    mkdir -p "$work/bin"
    cat >"$work/bin/docker" <<SH
#!/bin/sh
exec chroot "$CACHE/engine-newer-root" env -C "\$PWD" /usr/bin/docker "\$@"
SH
    chmod +x "$work/bin/docker"
    PATH=$work/bin:$PATH
}

engine_ended() { ! kill -0 "$engine_pid" 2>/dev/null; }

engine_stop() {
    [ -n "$engine_pid" ] || return 0
    kill -TERM "$engine_pid" 2>/dev/null
    within 20 engine_ended || kill -KILL "$engine_pid"
    wait "$engine_pid" 2>/dev/null
    engine_pid=
    umount "$work"/engine/exec/netns/* 2>/dev/null
    find /sys/fs/cgroup -depth -type d -path "*/flipd-${work##*.}*" \
        -exec rmdir {} + 2>/dev/null
}
at_end engine_stop

# What Debian's own slim images leave out: documentation but for licences.
engine_slim_tar() { # RELEASE TAR
    local folder=$work/slim

    mkdir "$folder" && tar -C "$folder" -xf "$(debian_tar "$1")" || return
    rm -rf "$folder"/usr/share/{man,info,locale,groff,linda,lintian}/*
    find "$folder/usr/share/doc" -type f ! -name copyright -delete
    find "$folder/usr/share/doc" -type d -empty -delete
    printf 'path-exclude %s\n' '/usr/share/man/*' '/usr/share/info/*' \
        '/usr/share/locale/*' '/usr/share/doc/*' >"$folder/etc/dpkg/dpkg.cfg.d/slim"
    echo 'path-include /usr/share/doc/*/copyright' >>"$folder/etc/dpkg/dpkg.cfg.d/slim"
    tar -C "$folder" --sort=name --numeric-owner -cf "$2" . && rm -rf "$folder"
}

engine_base() { # [RELEASE]
    local release=${1:-$engine_release}
    local tar=$CACHE/$release-slim.tar name=debian:$release-slim

    docker image inspect "$name" >/dev/null 2>&1 && return
    [ -e "$tar" ] || { engine_slim_tar "$release" "$tar.part" && mv "$tar.part" "$tar"; } ||
        return
    docker import -c 'CMD ["bash"]' "$tar" "$name"
}

engine_image() {
    docker image inspect flipd:latest >/dev/null 2>&1 && return
    engine_to_build && engine_base && deploy/image/build.sh --network host
}
