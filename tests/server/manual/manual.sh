#!/bin/bash
# The texts that are made from the table of options: those in the tree are
# current, are installed, and work: bash, zsh and mandoc read them.
#
# Usage: manual.sh FLIPD_MANUAL ROOT BUILD CMAKE
set -u

manual=$1
root=$2
build=$3
cmake=$4
here=$(cd "$(dirname "$0")" && pwd)
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

succeeds "current" "$root/server/manual/write.sh" "$manual" "$root" --check

# A changed table would be seen: each file, with a line more, is stale.
mkdir "$work/tree"
cp -r "$root/docs" "$root/deploy" "$work/tree"
succeeds "a copy" "$root/server/manual/write.sh" "$manual" "$work/tree" --check
for file in deploy/flipd.8 deploy/completion.bash deploy/completion.zsh; do
    echo >>"$work/tree/$file"
    fails "stale $file" "$root/server/manual/write.sh" "$manual" "$work/tree" \
        --check
    succeeds "written anew" "$root/server/manual/write.sh" "$manual" "$work/tree"
done
page=$work/tree/docs/configuration.md
sed -i 's/^| `--http-port` .*/| gone |/' "$page"
echo "text behind" >>"$page"
fails "stale page" "$root/server/manual/write.sh" "$manual" "$work/tree" --check
succeeds "written anew" "$root/server/manual/write.sh" "$manual" "$work/tree"
succeeds "the row is back" grep -q '^| `--http-port` ' "$page"
succeeds "other text stays" grep -qx "text behind" "$page"
sed -i '/end of options/d' "$page"
fails "a page without its mark" "$manual" markdown "$page"
fails "no page" "$manual" markdown "$work/none.md"
fails "an unknown form" "$manual" pdf

succeeds "install" "$cmake" -DCMAKE_INSTALL_LOCAL_ONLY=1 \
    -DCMAKE_INSTALL_PREFIX="$work/usr" -P "$build/server/manual/cmake_install.cmake"
data=$work/usr/share
succeeds "installed page" cmp "$root/deploy/flipd.8" "$data/man/man8/flipd.8"
succeeds "installed for bash" cmp "$root/deploy/completion.bash" \
    "$data/bash-completion/completions/flipd"
succeeds "installed for zsh" cmp "$root/deploy/completion.zsh" \
    "$data/zsh/site-functions/_flipd"

succeeds "bash completes" bash "$here/complete.sh" "$root/deploy/completion.bash"
succeeds "zsh" zsh -n "$root/deploy/completion.zsh"
succeeds "mandoc" mandoc -Tlint -W warning "$root/deploy/flipd.8"
mandoc -Tascii "$root/deploy/flipd.8" | sed 's/.\x08//g' >"$work/page"
succeeds "the page shows an option" grep -q -- '--http-port' "$work/page"

"$root/deploy/quickstart.sh" --help >"$work/help" || fail "quickstart.sh --help"
succeeds "quickstart.sh --help" grep -q '^Usage: deploy/quickstart.sh' "$work/help"
[ $failures = 0 ]
