#!/bin/bash
# Runs the catalogue of faults, a row at a time, each against a daemon of its own.
# Each row prints a line with a figure. README.md is the table.
#
# Usage: tests/faults/run.sh [--quick] [BINARY] [ROW...]
#   --quick   the quick half, three rows at a time, in under a minute; installs
#             nothing, and is a test of tests/run.sh
#   BINARY    the daemon; without it the release is built
#   ROW       only these, such as C3 or P1
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit; 1 = a release build
# The last line is "N passed, N failed, N skipped"; the exit code is 1 when one
# failed. A row that this machine cannot run is skipped with the reason.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
quick=no
[ "${1:-}" != --quick ] || { quick=yes; shift; }
binary=
case ${1:-} in */* | flipd) binary=$(realpath "$1"); shift ;; esac
only=" $* "
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-1}
export PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$here/lib:$here/documents:$here/../integration/lib

if [ $quick = no ]; then
    "$tree/deploy/install-deps.sh" --faults || exit 1
    export FAULTS_LONG=1
fi
if [ -z "$binary" ]; then
    (cd "$tree" && cmake --preset release && cmake --build --preset release) \
        >/dev/null || exit 1
    binary=$tree/build/release/flipd
fi

# The rows to run, one a line: ID HALF PROGRAM [ARGUMENT...]
rows() {
    sed -nE 's/^\| ([A-Z0-9-]+) \| [^|]* \| (quick|long|held) \| `([^`]+)` \| .*/\1 \2 \3/p' \
        "$here/README.md" | while read -r id half rest; do
        case $quick$half in yeslong | yesheld) continue ;; esac
        [ "$only" = "  " ] || [[ $only == *" $id "* ]] || continue
        echo "$id $half $rest"
    done
}

# A test that stands elsewhere and holds the row: integration:ROOM/NAME or
# ctest:NAME.
held() { # TEST
    case $1 in
    integration:*) "$here/../integration/run.sh" "$binary" "${1#*:}" ;;
    ctest:*) ctest --test-dir "$(dirname "$binary")" --no-tests=error \
        -R "^${1#*:}\$" ;;
    esac
}

# Prints a row's lines in one piece, and a result into $results.
one() { # ID HALF PROGRAM [ARGUMENT...]
    local id=$1 half=$2 output code started=$EPOCHREALTIME
    shift 2
    cd "$here" || exit 1
    if [ "$half" = held ]; then
        output=$(held "$1" 2>&1)
        code=$?
        [ $code != 0 ] || output=$(awk -v id="$id" -v test="$1" \
            -v us=$((${EPOCHREALTIME/[.,]/} - ${started/[.,]/})) 'BEGIN {
            printf "%s held by %s: passed in %.1f s", id, test, us / 1e6 }')
    else
        output=$(timeout -k 10 "$limit" python3 "$1" "$binary" "${@:2}" 2>&1)
        code=$?
    fi
    case $code in
    0) echo passed ;;
    77) echo skipped ;;
    *) echo failed && output="$output
$id FAILED: exit code $code of $*" ;;
    esac >>"$results"
    printf '%s\n' "$output"
}

results=$(mktemp)
trap 'rm -f "$results"' EXIT
# Of a row that hangs; a busy neighbour makes seconds minutes.
limit=$(($([ $quick = yes ] && echo 1200 || echo 3600) * CK_TIMEOUT_MULTIPLIER))
export -f one held
export here binary results limit
# Rows of the long form have the machine for themselves.
rows | xargs -P $([ $quick = yes ] && echo 3 || echo 1) -L 1 \
    bash -c 'one "$@"' _
count() { grep -c "^$1" "$results"; }
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
[ "$(count failed)" = 0 ] && [ -s "$results" ]
