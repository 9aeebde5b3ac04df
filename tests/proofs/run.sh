#!/bin/bash
# Proves by CBMC that the movers compute exactly the permutation and touch nothing
# beside it; docs/soundness.md says within which bounds. Installs CBMC in .deps/proofs/.
#
# Usage: tests/proofs/run.sh [--fast] [--table FILE] [NAME...]
#   --fast        what .ci/run calls
#   --table FILE  writes the table of the proofs, in Markdown
#   NAME          only proofs whose name contains one of these
# The last line is "N passed, N failed".
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
deploy/install-deps.sh --proofs
exec tests/proofs/run.py "$@"
