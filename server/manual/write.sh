#!/bin/sh
# Writes the texts that are made from the table of options into the tree, or with
# --check only says which of them are stale.
#
# Usage: write.sh FLIPD_MANUAL ROOT [--check]
set -eu

manual=$1
root=$2
check=${3:-}
new=$(mktemp)
trap 'rm -f "$new"' EXIT
code=0

put() { # FILE FORM...
    file=$1
    shift
    "$manual" "$@" >"$new"
    cmp -s "$new" "$root/$file" && return
    if [ -n "$check" ]; then
        echo "$file is not what the table of options says:" \
            "cmake --build --preset release --target manual"
        diff -u "$root/$file" "$new" | head -n 20 || true
        code=1
    else
        cat "$new" >"$root/$file"
        echo "$file is written"
    fi
}

put docs/configuration.md markdown "$root/docs/configuration.md"
put deploy/flipd.8 page
put deploy/completion.bash bash
put deploy/completion.zsh zsh
exit $code
