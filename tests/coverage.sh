#!/bin/bash
# Prints the line coverage of kernels/ and api/ for each file, with the numbers
# of the lines that no test reaches. Fails below 95 %. The integration scripts
# do not count: tests without a socket must reach both layers.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

cd "$root"
deploy/install-deps.sh
cmake --preset coverage >/dev/null
cmake --build --preset coverage >/dev/null
find build/coverage -name '*.gcda' -delete # counts of an earlier run
ctest --preset coverage --exclude-regex '^integration$'
gcovr --root . --object-directory build/coverage --filter kernels/ \
    --filter api/ --exclude-throw-branches --sort-percentage \
    --fail-under-line 95 build/coverage
