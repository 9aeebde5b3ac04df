#!/bin/bash
# Runs the integration scripts against a daemon whose sockets take and give few
# bytes at a time: sockets.h says how. The scripts see no difference but time; a
# script that asks for thousands of connections asks for fewer.
#
# Usage: tests/torture/short_io.sh DAEMON LIBRARY one|few [NAME...]
#   NAME...       scripts or rooms of tests/integration, default all
#   TORTURE_SEED  begins the random numbers, default 1; it is printed
#   CK_TIMEOUT_MULTIPLIER  stretches every time limit, default 3
set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
daemon=$(realpath "$1")
library=$(realpath "$2")
mode=$3
seed=${TORTURE_SEED:-1}
export CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-3}
export SHORT_IO=$mode
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# flipd.emulated calls qemu, whose own libraries are this machine's.
preload="LD_PRELOAD=$library"
[[ $daemon != *.emulated ]] || preload="QEMU_SET_ENV=$preload"
cat >"$folder/flipd" <<EOF
#!/bin/sh
export '$preload' TORTURE_SEED='$seed' TORTURE_IO="\${TORTURE_IO:-$mode}"
export ASAN_OPTIONS="\$ASAN_OPTIONS:verify_asan_link_order=0"
exec '$daemon' "\$@"
EOF
chmod +x "$folder/flipd"
# A mode that there is not ends the process: if the library is there at all.
code=0
TORTURE_IO=unknown "$folder/flipd" --version >/dev/null || code=$?
[ $code = 99 ] || { echo "$library was not preloaded" >&2; exit 1; }
echo "short I/O: $mode, seed $seed"
"$tests/integration/run.sh" "$folder/flipd" "${@:4}"
