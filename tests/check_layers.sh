#!/bin/sh
# Fails when the tree departs from tests/layers/rooms.txt, the table of its rooms
# and of the includes between them. tests/layers/check.py holds the rules.
#
# Usage: check_layers.sh ROOT [BUILD]   BUILD: default ROOT/build/release
#        check_layers.sh --draw [ROOT]  draws the table into CONTRIBUTING.md
PYTHONDONTWRITEBYTECODE=1 exec python3 \
    "$(dirname "$0")/layers/check.py" "$@"
