#!/bin/bash
# Both commands of README.md on machines that have nothing: the root of each is Debian's
# smallest system, with apt's sources of this machine and a clone of the last commit. So
# nothing helps that is installed here, and a package is missing there that
# deploy/install-deps.sh does not name. A machine gives namespaces or, as many containers,
# none.
#
# Usage: tests/fresh.sh [--long]
#   --long  Debian 13 too, and a new machine for each run of both commands. Without it the
#           one without namespaces is the first one, with what is installed and built
#           there, for which nobody asks for namespaces; of the tests it runs those that do
#
# Wants root, and debootstrap. Where nothing can be mounted it says so, and runs
# tests/run.sh on this machine. tests/deploy/lib/steps.sh says what it prints.
. "$(dirname "${BASH_SOURCE[0]}")/deploy/lib/steps.sh"
. tests/deploy/lib/debian.sh

# The tests that ask for namespaces: of ctest, and of tests/integration/run.sh.
readonly asking='^(docs/|commands$|faults/quick$)' asking_scripts='infer/shm operation/options'

# In the clone.
run_in() { # KIND RELEASE COMMAND...
    "debian_$1" "$work/$2" sh -ec 'cd /root/flipd; exec "$@"' sh "${@:3}"
}

make_machine() { # RELEASE
    rm -rf "${work:?}/$1"
    debian_root "$1" "$work/$1" && git clone --quiet . "$work/$1/root/flipd"
}

gives_namespaces() { # KIND RELEASE
    run_in "$1" "$2" unshare --net --mount true
}

gives_none() { # KIND RELEASE
    ! gives_namespaces "$@" && ! run_in "$1" "$2" unshare --user true
}

# A command as README.md has it, in a block of its own or with a remark behind it.
is_in_readme() { # COMMAND
    grep -qE "^$1( *#.*)?\$" README.md || { echo "README.md has no line $1"; return 1; }
}

# On any port, for 8000 may be taken here.
quickstart() { # KIND RELEASE
    is_in_readme deploy/quickstart.sh && run_in "$@" deploy/quickstart.sh --once --port 0
}

# The output is kept: ctest shows that of a failed test before the next one runs.
run_tests() { # KIND RELEASE COMMAND...
    local code=0

    is_in_readme tests/run.sh && run_in "$@" >"$work/tests" 2>&1 || code=$?
    [ $code = 0 ] || sed -n '/ Test .*\*\*\*/,/^ *Start /p' "$work/tests" | head -n 60
    tail -n 30 "$work/tests"
    [ $code = 0 ] && lacks_no_package "$2"
}

# A test that wants what deploy/install-deps.sh names no more may skip instead of failing.
lacks_no_package() { # RELEASE
    ! grep -E '^skipped: .* is not installed' \
        "$work/$1/root/flipd/build/release/Testing/Temporary/LastTest.log"
}

# Of ctest.
figures() { grep -E '^[0-9]+% tests passed|^Total Test time' "$work/tests" | xargs; }

# Debian 12's gcc is the one whose warnings are errors; another says other things.
both_commands() { # KIND RELEASE WHAT
    local options=()

    [ "$2" != bookworm ] || options=(-DWERROR=ON)
    step "$3: deploy/quickstart.sh" quickstart "$1" "$2" &&
        step "$3: tests/run.sh" run_tests "$1" "$2" tests/run.sh "${options[@]}" &&
        seen "$3: $(figures)"
}

with_namespaces() { # RELEASE
    local what="$1 with namespaces"

    step "$what: a bare machine" make_machine "$1" || return
    if gives_namespaces machine "$1" 2>/dev/null; then
        both_commands machine "$1" "$what"
    else
        lacks "$what" "this machine gives none"
    fi
}

without_namespaces() { # RELEASE
    local what="$1 without namespaces"

    if $long || [ ! -e "$work/$1/root/flipd/build" ]; then
        step "$what: a bare machine" make_machine "$1" || return
        step "$what: it has none" gives_none container "$1" 2>/dev/null
        both_commands container "$1" "$what"
        return
    fi
    step "$what: it has none" gives_none container "$1"
    step "$what: the tests that ask for them" run_tests container "$1" \
        ctest --preset release -j "$(nproc)" -R "$asking" && seen "$what: $(figures)"
    step "$what: the scripts that ask for them" run_in container "$1" \
        tests/integration/run.sh build/release/flipd $asking_scripts
    step "$what: deploy/quickstart.sh" quickstart container "$1"
}

# A new test that asks for them shall not be left out.
all_are_known() {
    ! git grep -lE '\b(unshare|setns|CLONE_NEW[A-Z]+)\b' -- tests/ ':!tests/fresh.sh' \
        ':!tests/commands' ':!tests/docs' ':!tests/faults' $(printf ' :!tests/integration/%s.sh' $asking_scripts) \
        ':!tests/load' ':!tests/bench' ':!tests/deploy' ':!tests/integration/lib/namespace.py'
}

may_mount() {
    [ "$(id -u)" = 0 ] && unshare --mount --pid --fork mount -t tmpfs tmpfs /mnt 2>/dev/null
}

long=false
releases=(bookworm)
[ "${1:-}" != --long ] || { long=true && releases+=(trixie); }
if ! may_mount; then
    lacks "both commands on a bare Debian" "it wants root, and the right to mount"
    step "tests/run.sh on this machine" tests/run.sh
    finish
fi
[ -z "$(git status --porcelain)" ] || seen "a clone has no changes that are not committed"
step "the tests that ask for namespaces are known" all_are_known
for release in "${releases[@]}"; do
    with_namespaces "$release"
    without_namespaces "$release"
    rm -rf "${work:?}/$release"
done
finish
