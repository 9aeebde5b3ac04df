#!/bin/bash
# The Debian package and the systemd unit: built, linted, and installed, run, upgraded,
# removed and purged in a chroot of each Debian; then under a real systemd, booted in a
# container of each.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/steps.sh"
. tests/deploy/lib/debian.sh
. tests/deploy/lib/page.sh
. tests/deploy/host/container.sh

readonly releases=(bookworm trixie)
at_end machine_stop
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1)
export SOURCE_DATE_EPOCH

own_release() { (. /etc/os-release && echo "$VERSION_CODENAME"); }

# The source as it stands, without what is ignored; libmicrohttpd is built anew.
source_tree() { # FOLDER
    mkdir -p "$1" &&
        git ls-files -z --cached --others --exclude-standard |
        tar -c --null --files-from=- | tar -x -C "$1"
}

# Builds the package of VERSION in $root as deploy/README.md says, and takes it out.
build() { # VERSION FOLDER
    mkdir -p "$2" && block 'cpack' deploy/README.md &&
        grep -v '^apt-get' "$work/block" >"$root/root/block" &&
        inside sh -exc "cd /src
            sed -i 's/^project(flipd VERSION [0-9.]*/project(flipd VERSION $1/' CMakeLists.txt
            . /root/block" &&
        mv "$root"/src/build/deb/*.deb "$2"
}

prepare_build() { # RELEASE
    debian_root "$1" "$root" && source_tree "$root/src" || return
    # The same for this release as outside: it need not be built again.
    [ "$1" != "$(own_release)" ] || [ ! -d .deps ] || cp -r .deps "$root/src/"
    inside apt-get -q -o Acquire::Check-Valid-Until=false update
}

# The package for RELEASE as $old, and one of a later version as $new. Kept as long as
# the source is the same.
packages() { # RELEASE
    local folder=$CACHE/deb-$1 root=$work/build stamp

    stamp=$(git ls-files -z --cached --others --exclude-standard -- CMakeLists.txt \
        CMakePresets.json '*.md' api cmake deploy/flipd.8 deploy/host kernels server tests/vectors |
        xargs -0 sha256sum 2>/dev/null | sha256sum)
    if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$stamp" ]; then
        rm -rf "$folder"
        prepare_build "$1" && build "$version" "$folder/old" &&
            rm -rf "$root/src/build" && build "$version" "$folder/again" &&
            build "$next" "$folder/new" || return
        rm -rf "$root"
        echo "$stamp" >"$folder/stamp"
    fi
    old=$(echo "$folder"/old/flipd_*.deb) new=$(echo "$folder"/new/flipd_*.deb)
}

same_twice() { # RELEASE
    diff -r "$CACHE/deb-$1/old" "$CACHE/deb-$1/again"
}

# What a package must not have: a dependency that no mirror has, a library that is
# linked and not named.
depends_are_honest() {
    local depends

    depends=$(dpkg-deb -f "$old" Depends) && echo "$depends" || return
    for library in libc6 libnghttp2-14 libssl3 libuv1 zlib1g; do
        grep -qE "(^|, )$library" <<<"$depends" || { echo "no $library"; return 1; }
    done
    ! grep -E 'microhttpd|stdc' <<<"$depends" &&
        dpkg-deb --fsys-tarfile "$old" | tar -xO ./usr/share/doc/flipd/copyright |
        grep libmicrohttpd
}

lint() {
    lintian --info --fail-on error,warning "${old%/*}"/*.deb
}

# The libraries as a program's author has them.
library_is_whole() {
    local folder=$work/library name newest

    for name in libflip0 libflip-dev; do
        dpkg-deb -x "${old%/*}/$name"_*.deb "$folder" || return
    done
    newest=$(readelf -VW "$folder"/usr/lib/*/libflip.so.0 | grep -o 'GLIBC_[0-9.]*' |
        cat - <(echo GLIBC_2.34) | sort -V | tail -n 1)
    [ "$(dpkg-deb -f "${old%/*}"/libflip0_*.deb Depends)" = "libc6 (>= ${newest#*_})" ] &&
        dpkg-deb --ctrl-tarfile "${old%/*}"/libflip0_*.deb | tar -xO ./shlibs |
        grep -x "libflip 0 libflip0 (>= $version)" &&
        gcc -I "$folder/usr/include" docs/examples/padded_batch.c -o "$work/padded_batch" \
            -L "$(dirname "$folder"/usr/lib/*/libflip.so)" -lflip &&
        LD_LIBRARY_PATH=$(dirname "$folder"/usr/lib/*/libflip.so.0) "$work/padded_batch"
}

# `cmake --install` and the packages put the same files down, but for what Debian wants
# otherwise: compressed, and the licence in its own place.
same_files() {
    cmake --preset deb >/dev/null && cmake --build --preset deb >/dev/null &&
        DESTDIR=$work/installed cmake --install build/deb >/dev/null || return
    (cd "$work/installed" && find . ! -type d | sort) |
        sed -E '/LICENSE$/d; s#(man8/flipd.8)$#\1.gz#; s#CHANGELOG.md$#changelog.gz#' |
        sort >"$work/installed.list"
    for package in "${old%/*}"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -t
    done | grep -v '/$' |
        grep -vE 'doc/[^/]*/(copyright|changelog.Debian.gz)$|lintian/overrides' |
        sort >"$work/packaged.list"
    diff "$work/installed.list" "$work/packaged.list"
}

unpack_unit() {
    dpkg-deb -x "$old" "$work/unit" && unit=$work/unit/usr/lib/systemd/system
}

# Up to 2.0 of 10, where 10 is a service without any restriction.
security() {
    systemd-analyze security --offline=yes --threshold=20 --no-pager \
        "$unit/flipd.service" >"$work/security" || { cat "$work/security"; return 1; }
}

exposure() { sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p' "$work/security"; }

# --- a chroot of each Debian ---

install() { # DEB
    cp "$1" "$root/tmp/" &&
        inside apt-get -q -y install --no-install-recommends \
            -o Dpkg::Options::=--force-confold "/tmp/$(basename "$1")" &&
        rm "$root/tmp/$(basename "$1")"
}

# What the package depends on: what comes and goes then is flipd's.
install_dependencies() {
    local depends

    depends=$(dpkg-deb -f "$old" Depends | tr ',' '\n' |
        sed -E 's/^ *//; s/^systemd \|.*/systemd-standalone-sysusers/; s/ .*//')
    # shellcheck disable=SC2086 # words
    inside apt-get -q -o Acquire::Check-Valid-Until=false update &&
        inside apt-get -q -y install --no-install-recommends $depends
}

listing() { # FILE
    (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev \) -prune -o \
        -printf '%p %y %m\n') |
        grep -vE '^./(var/log/|var/cache/|var/lib/(apt|dpkg)/|tmp |etc/(passwd|group|g?shadow|sub[ug]id)- )' |
        sort >"$1"
    grep -h '' "$root/etc/passwd" "$root/etc/group" "$root/etc/shadow" | sort >>"$1"
}

# The unit's command, as its user, with its file of variables.
serve() { # ROOT
    local pid code=1

    (set -a && . "$1/etc/flipd/flipd.env" && exec chroot "$1" \
        setpriv --reuid=flipd --regid=flipd --clear-groups /usr/bin/flipd) &
    pid=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        chroot "$1" /usr/bin/flipd --probe && break
        sleep 0.5
    done
    curl -sSf http://127.0.0.1:8000/v2/models/openvino.Reverse/infer -d "$example" |
        grep -F '"data":[2,1]' && code=0
    kill -TERM "$pid"
    wait "$pid" && return $code
}

is_user() { inside getent passwd flipd && inside getent group flipd; }

says_version() { inside flipd --version | grep -F "$1"; }

keeps_changes() {
    grep -x 'FLIPD_ACCESS_LOG=true' "$root/etc/flipd/flipd.env"
}

chroot_of() { # RELEASE
    root=$work/$1
    step "$1: a minimal system with the dependencies" eval \
        "debian_root '$1' '$root' && install_dependencies" || return
    listing "$work/before"
    step "$1: install" install "$old" || return
    step "$1: its user" is_user
    step "$1: the unit's command serves" isolated serve "$root"
    sed -i 's/^#FLIPD_ACCESS_LOG=true/FLIPD_ACCESS_LOG=true/' "$root/etc/flipd/flipd.env"
    step "$1: upgrade to $next" install "$new"
    step "$1: the upgrade keeps a changed flipd.env" keeps_changes
    step "$1: the new version serves" isolated serve "$root"
    step "$1: remove" inside apt-get -q -y remove flipd
    step "$1: a removal keeps the configuration" keeps_changes
    step "$1: install again" install "$new"
    step "$1: purge" inside apt-get -q -y purge flipd
    listing "$work/after"
    step "$1: a purge leaves nothing" diff "$work/before" "$work/after"
}

version=$(sed -n 's/^project(flipd VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
next=${version%.*}.$((${version##*.} + 1))
step "flipd.env: each line, uncommented, is an option" \
    tests/server/config/env_file.sh "$DAEMON" .
for release in "${releases[@]}"; do
    step "$release: build the package, three times" packages "$release" || continue
    seen "$release: $(basename "$old") has $(stat -c %s "$old") bytes"
    step "$release: two builds, the same bytes" same_twice "$release"
    step "$release: it depends on what it needs, and names what is inside" depends_are_honest
    if [ "$release" = "$(own_release)" ]; then
        step "$release: lintian finds nothing" lint
        step "$release: cmake --install puts the same files down" same_files
        step "$release: libflip0 and libflip-dev" library_is_whole
        step "$release: the unit" unpack_unit
        step "$release: systemd-analyze security: at most 2.0" security &&
            seen "exposure by systemd-analyze security: $(exposure)"
    fi
    chroot_of "$release"
    boot_of "$release"
done
finish
