#!/bin/bash
# The two commands of README.md and the script that installs for them, on machines that
# lack something: each says what, and what to do; nothing ends without a word. What the
# commands do where all is well is tests/fresh.sh's.
#
# The machines are made of a PATH: this one's programs without what is missing, and
# stand-ins of what would change it. The build is one of them.
#
# Usage: tests/commands/test.sh DAEMON
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
daemon=$(realpath "${1:?usage: $0 DAEMON}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
checks=0
failures=0
in_front=() # a command that starts the next ones

for variable in ${!FLIPD_@}; do
    unset "$variable"
done
export FLIPD_HTTP_PORT=0 # whatever is taken on this machine

# A machine with this one's programs, those of a user without sudo, and packages of which
# jq and curl are missing.
machine() {
    rm -rf "$work/bin"
    mkdir "$work/bin"
    program id 'echo 1000'
    program dpkg-query '[[ $* == *" jq"* || $* == *" curl"* ]] || echo ok installed'
    program apt-get 'echo "E: apt-get $*" >&2; exit 100'
    program ctest 'exit 0'
    program cmake 'case $* in *--build*) printf "[%d/8] Building x.c\n" 1 2 3 4 5 6 7 8 ;; esac'
}

program() { # NAME CODE
    printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

all_is_installed() { program dpkg-query 'echo ok installed'; }

# All programs but those that the machines have stand-ins of.
make_programs() {
    mkdir "$work/programs"
    ln -s /usr/bin/* "$work/programs/"
    (cd "$work/programs" && rm -f sudo apt-get dpkg-query id cmake ctest)
}

# The scripts in a tree with a daemon that was built, and a library beside it.
make_tree() {
    mkdir -p "$tree/build/release" "$tree/deploy" "$tree/tests"
    cp -r "$root"/deploy/{install-deps.sh,quickstart.sh,lib} "$tree/deploy/"
    cp "$root/tests/run.sh" "$tree/tests/"
    ln -s "$daemon" "$tree/build/release/flipd"
    make_library
}

# Enough of libmicrohttpd for it to count as built.
make_library() {
    mkdir -p "$tree/.deps/lib/pkgconfig"
    touch "$tree/.deps/lib/libmicrohttpd.a"
    printf '%s\n' 'Name: x' 'Description: x' 'Version: 1.0.10' \
        >"$tree/.deps/lib/pkgconfig/libmicrohttpd.pc"
}

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    | /' "$work/out"
}

# Runs COMMAND of the tree, with the machine's PATH: it ends with CODE.
ends() { # CODE COMMAND...
    local code=0

    checks=$((checks + 1))
    PATH=$work/bin:$work/programs timeout 60 "${in_front[@]}" "${@:2}" >"$work/out" 2>&1 </dev/null ||
        code=$?
    [ $code = "$1" ] || fail "${*:2} ended with $code, not $1"
}

says() { # TEXT...: each is in the output of the last command
    local text

    for text in "$@"; do
        checks=$((checks + 1))
        grep -qF -- "$text" "$work/out" || fail "it does not say: $text"
    done
}

says_no() { # TEXT
    checks=$((checks + 1))
    ! grep -qF -- "$1" "$work/out" || fail "it says: $1"
}

# --- packages ---

commands=("$tree/deploy/quickstart.sh" "$tree/tests/run.sh"
    "$tree/deploy/install-deps.sh" "$tree/deploy/install-deps.sh --bench")

neither_root_nor_sudo() {
    local command

    machine
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086 # words
        ends 1 $command
        says "only root can install them" curl \
            "apt-get update && apt-get install --no-install-recommends"
        says_no "E: apt-get"
        says_no building
    done
    ends 1 "$tree/tests/run.sh"
    says jq
}

no_apt() {
    local command

    machine
    rm "$work/bin/apt-get" "$work/bin/dpkg-query"
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086 # words
        ends 1 $command
        says "apt-get is not here" "Debian 12 and 13 only" "docker build -t flipd ." libuv1-dev libmicrohttpd
        says_no "command not found"
        says_no "this is Debian"
    done
}

another_system() {
    printf '%s\n' 'PRETTY_NAME="Plan 9"' ID=plan9 >"$work/os-release"
    in_front=(unshare --map-root-user --mount sh -ec
        'mount --bind "$0" /etc/os-release; exec "$@"' "$work/os-release")
    if ! "${in_front[@]}" true 2>/dev/null; then
        echo "skipped: another system, which wants namespaces"
    else
        machine
        ends 1 "$tree/deploy/quickstart.sh"
        says "this is Plan 9" "docker build"
        ends 1 "$tree/tests/run.sh"
        says "this is Plan 9" "docker build"
    fi
    in_front=()
}

apt_fails() {
    machine
    program id 'echo 0'
    ends 1 "$tree/deploy/quickstart.sh"
    says "installing" "E: apt-get" "could not install: curl"
    machine
    program sudo 'echo "sudo: a password is required" >&2; exit 1'
    ends 1 "$tree/deploy/quickstart.sh"
    says "a password is required" "could not install: curl"
}

# Nothing is missing, so nothing is installed and nobody need be root.
nothing_is_missing() {
    machine
    all_is_installed
    rm "$work/bin/apt-get"
    ends 0 "$tree/deploy/install-deps.sh" --quickstart
}

library_of_unstable() {
    machine
    all_is_installed
    rm -rf "$tree/.deps"
    ends 1 "$tree/deploy/quickstart.sh"
    says libmicrohttpd "Debian unstable" signature "E: apt-get"
    make_library
}

# --- the build ---

is_short() { # LINES
    checks=$((checks + 1))
    [ "$(wc -l <"$work/out")" -le "$1" ] || fail "more than $1 lines"
}

progress_is_shown() {
    machine
    all_is_installed
    ends 0 "$tree/tests/run.sh"
    says "building flipd" "2 of 8 steps" "8 of 8 steps"
    is_short 6
    if command -v script >/dev/null; then
        ends 0 script -qec "$tree/tests/run.sh" /dev/null
        says "3 of 8 steps"
        is_short 6
    fi
}

broken_build() {
    local command

    machine
    all_is_installed
    program cmake 'echo "x.c:1: error: what"; exit 1'
    for command in "$tree/deploy/quickstart.sh" "$tree/tests/run.sh"; do
        ends 1 "$command"
        says "x.c:1: error: what" "failed: cmake"
    done
    program cmake 'case $* in *--build*) echo "x.c:1: error: what"; exit 1 ;; esac'
    for command in "$tree/deploy/quickstart.sh" "$tree/tests/run.sh"; do
        ends 1 "$command"
        says "x.c:1: error: what" "failed: cmake --build"
    done
}

# --- the port ---

wrong_ports() {
    local port

    machine
    rm "$work/bin/apt-get"
    for port in 65536 99999 100000 18446744073709559616 -1 +1 1.5 1e3 0x50 http '' ' 80'; do
        ends 1 "$tree/deploy/quickstart.sh" --port "$port"
        says "\"$port\"" "from 0 to 65535"
        ends 1 env FLIPD_HTTP_PORT="${port:-x}" "$tree/deploy/quickstart.sh"
        says "from 0 to 65535"
    done
    ends 1 "$tree/deploy/quickstart.sh" --port 80
    says "only root may listen below"
    ends 1 "$tree/deploy/quickstart.sh" --port
    says "--port needs a number"
}

# Of a daemon that serves on any port.
taken_port() {
    local pid port

    "$daemon" --http-port=0 2>"$work/daemon" &
    pid=$!
    until port=$(sed -n 's/.*url=.*:\([0-9]*\)$/\1/p' "$work/daemon" 2>/dev/null) &&
        [ -n "$port" ]; do
        kill -0 $pid || { cat "$work/daemon" && exit 1; }
        sleep 0.05
    done
    ends 1 "$tree/deploy/quickstart.sh" --port "$port"
    says "\"$port\"" taken "--port N"
    kill $pid
    wait $pid
}

any_port() {
    machine
    all_is_installed
    ends 0 "$tree/deploy/quickstart.sh" --once --port 0
    says "POST http://127.0.0.1:" '"data":[3,6,9,12,2,5,8,13,1,4,10,14,0,7,11,15]'
    says_no ":0/"
    ends 0 env -u FLIPD_HTTP_PORT "$tree/deploy/quickstart.sh" --once --port=0
}

make_programs
make_tree
for part in neither_root_nor_sudo no_apt another_system apt_fails nothing_is_missing \
    library_of_unstable progress_is_shown broken_build wrong_ports taken_port any_port; do
    $part
done
echo "$checks checks, $failures failed"
[ $failures = 0 ]
