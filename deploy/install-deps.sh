#!/bin/bash
# Installs what flipd needs on Debian 12 and 13; the one place that names
# packages. Needs root or sudo only when a package is missing.
#
# Usage: deploy/install-deps.sh [--run-only | --build-only | --package |
#                                --quickstart | --bench | --faults | --page |
#                                --clients | --deploy | --fuzz | --proofs |
#                                --cross arm64]
#   --run-only    the libraries of a daemon that was built elsewhere
#   --build-only  what building the daemon needs
#   --package     that and what the .deb needs
#   --quickstart  the same and curl
#   (nothing)     the same and everything that the tests and .ci/run call
#   --bench       that and what tests/bench/ measures beside us
#   --faults      (nothing) and the proxies and tools of tests/faults/
#   --page        what tests/page/ looks at the pages with
#   --clients     what the clients in tests/clients/ need beside the packages of
#                 their languages, which tests/clients/run.sh installs
#   --deploy      what building the daemon and tests/deploy/run.sh need
#   --fuzz        (nothing) and a libmicrohttpd in .deps/fuzz/ which tells libFuzzer and
#                 the sanitizers what it does, for the preset fuzz
#   --proofs      what tests/proofs/run.sh needs. CBMC and its libraries are Debian 13's,
#                 unpacked into .deps/proofs/, not installed: Debian 12's CBMC is too old
#   --cross arm64 what building for arm64 and testing it in qemu need. Its libraries
#                 are unpacked into .deps/arm64/, not installed: dpkg keeps to one
#                 architecture, and the versions of this machine do not matter
#
# libmicrohttpd before 1.0.10 can be made to smuggle requests, and the build
# renames system calls in its archive. So Debian's own source package of it is
# taken from unstable through apt, which checks its signature, and built into
# .deps/.
set -euo pipefail

readonly MHD_MIN=1.0.10
readonly PLAYWRIGHT=1.65.1
readonly AXE=4.14.1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=$root/.deps
scope=${1:-all}
cross=    # the architecture of --cross
host=     # its name for compiler and configure; empty for this machine's own
foreign=() # its options for apt-get
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "install-deps: $*"; }
die() {
    say "$*" >&2
    exit 1
}

# Runs a command silently; its output is shown only when it fails.
quietly() {
    "$@" >"$work/log" 2>&1 && return
    cat "$work/log" >&2
    die "failed: $*"
}

# Only after can_install.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# A field of /etc/os-release, which a machine need not have.
system() { (. /etc/os-release && echo "${!1:-}") 2>/dev/null || true; } # NAME

release() { system VERSION_CODENAME; }

# Ends with an explanation where the packages cannot be installed: on a system that does
# not have them, and for a user who may not.
can_install() { # PACKAGE...
    if ! command -v apt-get >/dev/null || [ "$(system ID)" != debian ]; then
        local name why="apt-get is not here"

        name=$(system PRETTY_NAME)
        [ "$(system ID)" = debian ] || why="this is ${name:-not Debian}"
        die "$why: packages are installed on Debian 12 and 13 only." \
            $'\n'"In a container flipd runs anywhere: docker build -t flipd ." \
            $'\n'"Or install by hand what Debian calls $*," \
            $'\n'"and libmicrohttpd from $MHD_MIN on with" \
            "./configure --prefix=$prefix --disable-shared --with-pic --disable-https," \
            $'\n'"then build without this script:" \
            $'\n'"cmake --preset release -DTESTS=OFF && cmake --build --preset release"
    fi
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        die "packages are missing, and only root can install them; sudo is not here." \
            $'\n'"As root: apt-get update &&" \
            "apt-get install --no-install-recommends $*"
}

# The first of the named programs that is installed.
first_of() {
    local program

    for program in "$@"; do
        command -v "$program" && return
    done
    die "none of these is installed: $*"
}

debian_is_12() { [ "$(release)" = bookworm ]; }

is_installed() { # PACKAGE
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'
}

# Of tests/deploy/run.sh, a line for each part.
deploy_packages() {
    echo curl ca-certificates jq procps openssl git python3-venv iproute2 util-linux
    echo docker.io iptables debootstrap qemu-user-static skopeo docker-registry # image
    echo haproxy prometheus # balancer
    echo nftables prometheus gcc libc6-dev # kubernetes, which wants Go, too
    command -v go >/dev/null || echo golang-go
    debian_is_12 || echo docker-cli
    echo dpkg-dev lintian systemd systemd-container # host
    echo prometheus haproxy # watch, hosts
    echo python3-venv libpython3-dev # triton
    # It may have come from elsewhere, in a later version.
    command -v npm >/dev/null || echo npm # watch
}

package_list() {
    if [ "$scope" = --run-only ]; then
        debian_is_12 && echo libuv1 libssl3 || echo libuv1t64 libssl3t64
        echo libnghttp2-14 zlib1g
        return
    fi
    if [ "$scope" = --page ]; then
        echo chromium fonts-dejavu-core curl python3-venv
        # Node.js may have come from elsewhere, and npm with it.
        command -v node >/dev/null || echo nodejs
        command -v npm >/dev/null || echo npm
        return
    fi
    [ "$scope" = --proofs ] && echo gcc libc6-dev python3 xz-utils && return
    if [ "$scope" = --cross ]; then
        echo "g++-$host" "libc6-dev-$cross-cross" qemu-user make cmake \
            ninja-build pkg-config xz-utils \
            curl ca-certificates jq python3 python3-hpack procps openssl
        return
    fi
    if [ "$scope" = --clients ]; then
        # libb64 is for perf_analyzer, which PyPI has without it; the
        # compiler and libssl are for Rust's reqwest.
        echo curl jq openssl procps python3-venv libb64-0d apache2-utils \
            nghttp2-client httpie prometheus gcc pkg-config libssl-dev
        # These may have come from elsewhere, in later versions.
        command -v node >/dev/null || echo nodejs
        command -v npm >/dev/null || echo npm
        command -v javac >/dev/null || echo default-jdk-headless
        command -v mvn >/dev/null || echo maven
        command -v go >/dev/null || echo golang-go
        command -v cargo >/dev/null || echo cargo
        return
    fi
    echo gcc g++ binutils libc6-dev make cmake ninja-build pkg-config xz-utils \
        python3 libuv1-dev libjansson-dev libnghttp2-dev zlib1g-dev libssl-dev
    [ "$scope" = --build-only ] && return
    [ "$scope" = --package ] && echo dpkg-dev file && return
    [ "$scope" = --deploy ] && deploy_packages && return
    echo curl ca-certificates
    [ "$scope" = --quickstart ] && return
    echo check gcovr wrk jq abigail-tools python3-numpy python3-hpack procps git valgrind openssl mandoc \
        libprotobuf-dev debootstrap
    # The checks are pinned to one clang, Debian 12's; a later distribution
    # brings its own.
    if debian_is_12; then
        echo clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev llvm-14
    else
        echo clang clang-format clang-tidy libclang-rt-dev llvm
    fi
    [ "$scope" != --faults ] || echo haproxy strace libfaketime iproute2 \
        util-linux
    [ "$scope" = --bench ] || return 0
    echo libsimdjson-dev python3-venv nghttp2-client
    debian_is_12 && echo libpython3.11 || echo libpython3.13
}

# A foreign repository that is out of reach must not stop this: what is really
# missing, the installation names.
update_lists() {
    as_root apt-get -q update >"$work/update.log" 2>&1 || true
}

# Of the foreign architecture: the libraries of the build and of the tests.
sysroot_packages() {
    echo libc6-dev libstdc++6 libuv1-dev libjansson-dev libnghttp2-dev zlib1g-dev \
        libssl-dev check
}

install_packages() {
    local missing=() package

    for package in $(package_list); do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    can_install "${missing[@]}"
    say "installing ${missing[*]}"
    update_lists
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=300 install --no-install-recommends \
        "${missing[@]}" >"$work/log" 2>&1; then
        cat "$work/update.log" "$work/log" >&2
        die "apt-get could not install: ${missing[*]}"
    fi
}

mhd_is_installed() {
    [ -e "$prefix/lib/libmicrohttpd.a" ] &&
        PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig \
            pkg-config --atleast-version=$MHD_MIN libmicrohttpd
}

# apt-get that knows one source and has its own memory: nothing outside $work
# is read or written, and no package counts as installed. A frozen mirror whose
# release file has expired will do: libmicrohttpd has a version floor.
private_apt() {
    apt-get -q "${foreign[@]}" -o Dir::Etc::SourceList="$work/sources.list" \
        -o Dir::Etc::SourceParts=- -o Dir::Etc::Preferences=- \
        -o Dir::Etc::PreferencesParts=- -o Dir::State::Lists="$work/lists" \
        -o Dir::State::status="$work/status" \
        -o Dir::Cache="$work/cache" -o APT::Default-Release= \
        -o APT::Sandbox::User=root -o Acquire::Languages=none \
        -o Acquire::Check-Valid-Until=false "$@"
}

# The mirrors this machine takes its release from, one a line. apt itself is
# asked, so either format of its lists is understood.
mirrors() {
    apt-get update --print-uris |
        sed -nE "s#^'(.*)/dists/($(release)|stable)/InRelease'.*#\1#p" | sort -u
}

keyring() {
    local file

    for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
        [ -e "$file" ] && echo "$file" && return
    done
    die "the package debian-archive-keyring is not installed"
}

# Runs COMMAND with private_apt for one mirror of this machine after the other,
# until it succeeds.
from_mirrors() { # deb|deb-src RELEASE COMMAND...
    local mirror key

    key=$(keyring)
    mkdir -p "$work/source" "$work/lists/partial" "$work/cache/archives/partial"
    : >"$work/status"
    for mirror in $(mirrors); do
        echo "$1 [signed-by=$key] $mirror $2 main" >"$work/sources.list"
        if (private_apt update && cd "$work/source" && "${@:3}") \
            >"$work/log" 2>&1; then
            return
        fi
    done
    cat "$work/log" >&2
    die "no mirror of this machine had what this asks for: ${*:3}"
}

# dpkg's database in the sysroot knows the package too: which version is linked, and
# whose a library is, the image tells its readers.
register() { # PACKAGE-FILE
    local database=$work/sysroot/var/lib/dpkg

    mkdir -p "$database/info"
    {
        dpkg-deb --field "$1"
        echo "Status: install ok installed"
        echo
    } >>"$database/status"
    dpkg-deb --fsys-tarfile "$1" | tar -t | sed 's#^\.##; s#/$##; s#^$#/.#' \
        >"$database/info/$(dpkg-deb --show --showformat '${Package}' "$1").list"
}

unpack_sysroot() {
    local sysroot=$root/.deps/$cross contents package link

    contents="$(release), dpkg: $(sysroot_packages)"
    [ "$(cat "$sysroot/contents" 2>/dev/null)" = "$contents" ] && return
    say "unpacking the libraries of $cross into .deps/$cross/"
    # shellcheck disable=SC2046 # a list of words
    from_mirrors deb "$(release)" private_apt -y --no-install-recommends \
        --download-only install $(sysroot_packages)
    mkdir -p "$work/sysroot/usr/lib"
    ln -s usr/lib "$work/sysroot/lib"
    for package in "$work"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/sysroot" \
            --no-same-owner --keep-directory-symlink --exclude='./usr/share/[!d]*'
        register "$package"
    done
    # An absolute link would lead out of the sysroot.
    find "$work/sysroot" -type l -lname '/*' | while read -r link; do
        ln -sfnr "$work/sysroot$(readlink "$link")" "$link"
    done
    echo "$contents" >"$work/sysroot/contents"
    rm -rf "$sysroot"
    mkdir -p "$root/.deps"
    cp -a "$work/sysroot" "$sysroot"
}

# With all libraries that CBMC loads, the C library too, whose loader starts it.
unpack_cbmc() {
    local folder=$root/.deps/proofs package

    [ -x "$folder/usr/bin/cbmc" ] && return
    say "unpacking CBMC of Debian 13 into .deps/proofs/"
    from_mirrors deb trixie private_apt -y --no-install-recommends \
        --download-only install cbmc
    # Links of a merged /usr, which no package brings.
    mkdir -p "$work"/proofs/usr/{lib,lib64}
    ln -s usr/lib usr/lib64 "$work/proofs"
    for package in "$work"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/proofs" \
            --no-same-owner --keep-directory-symlink --exclude='./usr/share/[!d]*'
    done
    mkdir -p "$root/.deps"
    cp -a "$work/proofs" "$folder"
}

hardening_flags() {
    local flag

    echo "-O2 -fPIC -D_FORTIFY_SOURCE=3"
    for flag in -fstack-protector-strong -fstack-clash-protection \
        -fcf-protection -mbranch-protection=standard; do
        echo 'int x;' | "${host:+$host-}gcc" -Werror $flag -x c -c -o /dev/null - \
            2>/dev/null && echo "$flag"
    done
}

# What clang puts into the archive for tests/fuzz. The sanitizers see the
# program's own memory, so the hardening of a release is left out.
fuzz_flags() {
    echo "-g -O1 -fPIC -fno-omit-frame-pointer" \
        "-fsanitize=fuzzer-no-link,address,undefined"
}

build_mhd() { # TARBALL CC CFLAGS
    mkdir "$work/build"
    tar -xf "$1" -C "$work/build" --strip-components=1
    cd "$work/build"
    quietly ./configure ${host:+--host="$host"} \
        --prefix="$prefix" --libdir="$prefix/lib" \
        --disable-shared --enable-static --with-pic --disable-https \
        --disable-postprocessor --disable-dauth --disable-bauth \
        --disable-httpupgrade --disable-doc --disable-examples \
        --disable-tools --disable-curl ${2:+CC="$2"} CFLAGS="$3"
    quietly make -j"$(nproc)"
    quietly make install DESTDIR="$work/stage"
    # The prefix may be moved together with the project.
    sed -i 's#^prefix=.*#prefix=${pcfiledir}/../..#
            s#^libdir=.*#libdir=${prefix}/lib#
            s#^includedir=.*#includedir=${prefix}/include#' \
        "$work/stage$prefix/lib/pkgconfig/libmicrohttpd.pc"
    cd "$root"
    rm -f "$work/stage$prefix/lib/libmicrohttpd.la"
    mkdir -p "$work/stage$prefix/share/libmicrohttpd"
    cp "$work/build/COPYING" "$work/stage$prefix/share/libmicrohttpd/copyright"
    (cd "${1%/*}" && sha256sum "${1##*/}") \
        >"$work/stage$prefix/share/libmicrohttpd/source"
    mkdir -p "$prefix"
    cp -a "$work/stage$prefix/." "$prefix"
}

install_mhd() {
    local tarball version

    mhd_is_installed && return
    say "building libmicrohttpd from the source package in Debian unstable, which apt" \
        "fetches and whose signature it checks"
    from_mirrors deb-src unstable \
        private_apt source --download-only libmicrohttpd
    tarball=$(ls "$work"/source/libmicrohttpd_*.orig.tar.?z)
    version=${tarball##*libmicrohttpd_}
    version=${version%.orig.tar.*}
    dpkg --compare-versions "$version" ge $MHD_MIN ||
        die "the mirror's libmicrohttpd is $version, $MHD_MIN is needed"
    if [ "$scope" = --fuzz ]; then
        build_mhd "$tarball" "$(first_of clang-14 clang)" "$(fuzz_flags)"
    else
        build_mhd "$tarball" "" "$(hardening_flags | tr '\n' ' ')"
    fi
    mhd_is_installed || die "libmicrohttpd $version was built but not found"
    say "libmicrohttpd $version is in ${prefix#"$root"/}/"
}

# Unpacked into build/bench-tools/, not installed: that would start a service.
unpack_nginx() {
    command -v nginx >/dev/null && return
    [ -x "$root/build/bench-tools/usr/sbin/nginx" ] && return
    can_install nginx
    update_lists
    mkdir -p "$root/build/bench-tools"
    (cd "$work" && quietly apt-get -q download nginx &&
        quietly dpkg -x nginx_*.deb "$root/build/bench-tools")
}

# What drives the browser, and what looks for obstacles in a page. They bring no
# browser and run no script of their own.
install_page_tools() {
    local tools=$root/build/page-tools

    [ -e "$tools/node_modules/axe-core/package.json" ] && return
    mkdir -p "$tools"
    quietly npm install --prefix "$tools" --ignore-scripts --no-audit \
        --no-fund --no-save playwright-core@$PLAYWRIGHT axe-core@$AXE
}

case $scope in
all | --run-only | --build-only | --package | --quickstart | --bench | \
    --faults | --page | --clients | --deploy) ;;
--fuzz) prefix=$root/.deps/fuzz ;;
--proofs) ;;
--cross)
    [ "${2:-}" = arm64 ] || die "--cross knows arm64 only"
    cross=arm64 host=aarch64-linux-gnu prefix=$root/.deps/arm64/usr
    foreign=(-o APT::Architecture=$cross -o APT::Architectures=$cross)
    ;;
*) die "unknown option $scope: --run-only, --build-only, --package," \
    "--quickstart, --bench, --faults, --page, --clients, --deploy, --fuzz, --proofs or --cross arm64" ;;
esac
install_packages
case $scope in
--run-only | --clients) ;;
--page) install_page_tools ;;
--proofs) unpack_cbmc ;;
--cross)
    unpack_sysroot
    install_mhd
    ;;
*) install_mhd ;;
esac
case $scope in --bench | --faults) unpack_nginx ;; esac
