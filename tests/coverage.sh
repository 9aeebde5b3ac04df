#!/bin/bash
# Prints the line coverage of kernels/ and api/ for each file, with the numbers
# of the lines that no test reaches; fails below 97 %, below 90 % of the branches,
# and below all branches of the files that check what a client or an operator
# writes. For them the integration scripts do not count: tests without a socket must
# reach both layers. Then that of server/, where the scripts and the torture count:
# a daemon writes its counts when it ends.
#
# Not counted as branches: assertions, the NULL that jansson's json_is_...() take,
# the true that status_fail() never returns, the value of a switch that its enum does
# not have, and code that is compiled several times with other constants, of which
# each copy has branches that are never taken.
#
# Usage: tests/coverage.sh [api|server]    both by default
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=build/coverage

report() { # FOLDER... OPTION...
    gcovr --root . --object-directory "$build" --exclude-throw-branches \
        --sort-percentage "$@" "$build"
}

constants='kernels/simd/|api/lex/(grammar|simd_numbers|block_[a-z0-9]*)\.h'
constants="$constants|api/tensor_json/tokens\.c"
validators='kernels/core/(shape|tensor)\.c|kernels/ops/|api/document/(tree|foreign)\.c'
validators="$validators|api/routes/shared_memory\.c|server/message/headers\.c"
validators="$validators|server/config/options_load\.c"

never='.*\bjson_(is_|object_foreach).*|^ *return .*\|\|$'
never="$never|.*\|\| [a-z]*_fail\(.*|^ *switch \(.*"

branches() { # OPTION...
    report --branches --exclude-lines-by-pattern '^ *assert\(.*' \
        --exclude-branches-by-pattern "$never" "$@"
}

forget() { find "$build" -name '*.gcda' -delete; } # counts of an earlier run

layers() {
    forget
    ctest --preset coverage --exclude-regex '^(integration$|torture)'
    report --filter kernels/ --filter api/ --fail-under-line 97
    branches --filter kernels/ --filter api/ --exclude "$constants" \
        --fail-under-branch 90
    branches --filter "$validators" --fail-under-branch 100
}

torture() { # OPTION...
    tests/torture/driver.py "$build/flipd" "$build/tests/torture/torture.so" \
        "$@" | tail -n 1
}

server() {
    forget
    ctest --preset coverage --tests-regex '^(server/|integration$|torture)'
    torture --only start --sample 400
    torture --sample 6
    report --filter server/ --fail-under-line 95
    report --filter server/ --branches | tail -n 4
}

cd "$root"
deploy/install-deps.sh
cmake --preset coverage >/dev/null
cmake --build --preset coverage >/dev/null
case ${1:-both} in
api) layers ;;
server) server ;;
both) layers && server ;;
*) sed -n '/^# Usage/p' "$0" >&2 && exit 2 ;;
esac
