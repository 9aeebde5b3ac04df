#!/bin/bash
# The texts that are made from the table of options: those in the tree are
# current, flipd(8) is installed, and mandoc reads it.
#
# Usage: manual.sh FLIPD ROOT BUILD CMAKE
set -u

flipd=$1
root=$2
build=$3
cmake=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Fails with what the command says.
succeeds() { # WHAT COMMAND...
    "${@:2}" >"$work/said" 2>&1 || fail "$1: $(head -n 30 "$work/said")"
}

fails() { # WHAT COMMAND...
    ! "${@:2}" >"$work/said" 2>&1 || fail "$1 succeeds"
}

write() { # ROOT [--check]
    python3 -B "$root/cmake/manual.py" "$flipd" "$@"
}

succeeds "current" write "$root" --check

# A changed table would be seen: each file, with a line more, is stale.
mkdir "$work/tree"
cp -r "$root/docs" "$root/deploy" "$work/tree"
succeeds "a copy" write "$work/tree" --check
echo >>"$work/tree/deploy/flipd.8"
fails "stale flipd(8)" write "$work/tree" --check
succeeds "written anew" write "$work/tree"
succeeds "current again" write "$work/tree" --check
page=$work/tree/docs/configuration.md
sed -i 's/^| `--http-port` .*/| gone |/' "$page"
echo "text behind" >>"$page"
fails "stale page" write "$work/tree" --check
succeeds "written anew" write "$work/tree"
succeeds "the row is back" grep -q '^| `--http-port` ' "$page"
succeeds "other text stays" grep -qx "text behind" "$page"
sed -i '/end of options/d' "$page"
fails "a page without its mark" write "$work/tree"
fails "no page" write "$work/none"
fails "an unknown word" write "$root" --pdf

succeeds "install" "$cmake" -DCMAKE_INSTALL_LOCAL_ONLY=1 \
    -DCMAKE_INSTALL_PREFIX="$work/usr" -P "$build/cmake_install.cmake"
succeeds "installed page" cmp "$root/deploy/flipd.8" "$work/usr/share/man/man8/flipd.8"

succeeds "mandoc" mandoc -Tlint -W warning "$root/deploy/flipd.8"
mandoc -Tascii "$root/deploy/flipd.8" | sed 's/.\x08//g' >"$work/page"
succeeds "the page shows an option" grep -q -- '--http-port' "$work/page"

"$root/deploy/quickstart.sh" --help >"$work/help" || fail "quickstart.sh --help"
succeeds "quickstart.sh --help" grep -q '^Usage: deploy/quickstart.sh' "$work/help"
[ $failures = 0 ]
