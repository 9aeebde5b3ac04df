#!/bin/bash
# Runs the tests of build/release N times beside a neighbour that keeps every core
# busy, and counts what fails: a test that judges the machine instead of flipd does.
# Nothing is run again. tests/run.sh builds.
#
# Usage: tests/steady.sh N [CTEST-OPTION...]    such as -R '^(faults|integration)'
#   STEADY_LOOPS  processes of the neighbour, default one a core
# A line for each run and for each failed test, whose output is kept in
# build/steady/RUN/; the last line counts. The exit code is 1 when a test failed.
set -uo pipefail

runs=${1:-}
[[ $runs =~ ^[1-9][0-9]*$ ]] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
kept=build/steady
groups=() # of processes: the neighbour's, and the tests'

# Ends within a second after this script, however that ends.
be_busy() {
    while kill -0 $$ 2>/dev/null; do
        for ((i = 0; i < 100000; i++)); do :; done
    done
}

# The output of each failed test goes into FOLDER/NAME.log. Prints the names.
failed_tests() { # FOLDER, with ctest's output
    awk -v folder="$1" '
        / Test +#[0-9]+: / || /^ +Start +[0-9]+: / || /% tests passed/ { file = "" }
        / Test +#[0-9]+: .*\*\*\*/ {
            sub(/^.* Test +#[0-9]+: /, "")
            print $1
            file = $1 ".log"
            gsub("/", "-", file)
        }
        file { print >(folder "/" file) }' "$1/ctest.log"
}

set -m # each background job is a group
trap 'for group in "${groups[@]}"; do kill -- "-$group" 2>/dev/null; done' EXIT
trap 'exit 1' INT TERM
for ((i = 0; i < ${STEADY_LOOPS:-$(nproc)}; i++)); do be_busy & groups+=($!); done
rm -rf $kept
for ((run = 1, total = 0; run <= runs; run++)); do
    began=$SECONDS
    mkdir -p $kept/$run
    ctest --preset release -j "$(nproc)" "$@" >$kept/$run/ctest.log 2>&1 &
    groups[i]=$!
    wait $!
    code=$?
    mapfile -t failed < <(failed_tests $kept/$run)
    [ $code = 0 ] || [ ${#failed[@]} -gt 0 ] || failed=("ctest, exit code $code")
    total=$((total + ${#failed[@]}))
    echo "run $run of $runs: ${#failed[@]} failed in $((SECONDS - began)) s"
    [ ${#failed[@]} = 0 ] || printf '  failed: %s\n' "${failed[@]}"
done
echo "$runs runs, $total failed tests"
[ $total = 0 ]
