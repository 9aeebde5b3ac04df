# Sourced by the parts of tests/deploy/run.sh: what they print, a line each.
#
#   passed  WHAT           a step that did what it should
#   FAILED  WHAT           one that did not; its output stands before this line
#   skipped WHAT: REASON   what this machine cannot run
#   seen    TEXT           a figure for the reader: a size, a time, a count
#
# A part ends with `finish`. It can be run alone: then it has the daemon of
# build/release and what deploy/install-deps.sh --deploy has installed. $work is a folder
# that is removed at the end; `at_end COMMAND...` runs before that, the last one first.
# `outside COMMAND...` reaches package registries from wherever the part runs.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
export CACHE=${CACHE:-$root/build/deploy} DAEMON=${DAEMON:-$root/build/release/flipd}
work=$(mktemp -d)
failures=0
endings=()
mkdir -p "$CACHE"
cd "$root" || exit 2

# The environment of the caller must not configure the daemons.
for variable in ${!FLIPD_@}; do
    unset "$variable"
done

clean() {
    local i

    for ((i = ${#endings[@]} - 1; i >= 0; i--)); do
        eval "${endings[i]}"
    done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

at_end() { endings+=("${*@Q}"); } # COMMAND...

fail() { # WHAT
    failures=$((failures + 1))
    echo "FAILED  $*"
}

# Runs COMMAND in this shell; what it prints is shown only when it fails. Returns whether
# it succeeded, so that what builds on it can be left out.
step() { # WHAT COMMAND...
    local what=$1 start=$SECONDS

    shift
    if "$@" >"$work/step" 2>&1; then
        echo "passed  $what, $((SECONDS - start)) s"
    else
        tail -n 100 "$work/step"
        fail "$what"
        return 1
    fi
}

lacks() { echo "skipped $1: $2"; } # WHAT REASON
seen() { echo "seen    $*"; }

die() { # WHAT: nothing that follows can run
    fail "$*"
    exit 1
}

# Repeats COMMAND until it succeeds, for SECONDS at most.
within() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))

    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}

# Runs COMMAND with the network of this machine, also in a part that engine.sh has put
# into a network of its own.
outside() { # COMMAND...
    if [ -n "${ENGINE_ISOLATED:-}" ]; then
        nsenter --net=/proc/self/fd/7 -- "$@"
    else
        "$@"
    fi
}

finish() { exit $((failures > 0)); }
