#!/bin/bash
# libflip as a program's author meets it: installs a build into an empty folder, then
# builds and runs the examples of docs/examples with pkg-config and with CMake, shared
# and static, and looks at what the libraries export.
#
# Usage: tests/library/test.sh BUILD
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
examples=$root/docs/examples

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

for component in libflip0 libflip-dev; do
    cmake --install "$build" --prefix "$work/usr" --component "$component" >/dev/null
done
library=$(dirname "$(find "$work/usr" -name libflip.a)")
export PKG_CONFIG_PATH=$library/pkgconfig LD_LIBRARY_PATH=$library

# The functions of the map, each of them in the header, and nothing else.
wanted=$(sed -n 's/^ *\(flip_[a-z_]*\);$/\1/p' "$root/kernels/flip/libflip.map" | sort)
header=$(grep -oE '\bflip_[a-z_]+\(' "$work/usr/include/flip.h" | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library/libflip.so" | awk '$2 == "T" { print $3 }' |
    sed 's/@.*//' | sort)
global=$(nm -g --defined-only "$library/libflip.a" | awk 'NF == 3 { print $3 }' | sort)
[ "$header" = "$wanted" ] || fail "flip.h declares" $header
[ "$exported" = "$wanted" ] || fail "libflip.so exports" $exported
[ "$global" = "$wanted" ] || fail "libflip.a exports" $global
[ "$(nm -D --defined-only "$library/libflip.so" | awk '$2 != "T" { print $3 }')" = FLIP_0 ] ||
    fail "libflip.so exports data"
readelf -d "$library/libflip.so" | grep -q 'soname: \[libflip.so.0\]' || fail "SONAME"
needed=$(readelf -d "$library/libflip.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
[ -z "$(grep -vE '^(libc\.so|libm\.so|ld-linux)' <<<"$needed")" ] || fail "it needs" $needed

[ "$(pkg-config --libs-only-l libflip | xargs)" = -lflip ] || fail "pkg-config"
flags=$(pkg-config --cflags --libs libflip)
rows=$'4 7 9\n3 6 8\n2 5 0\n1 0 0'
mirrored=$'3 2 1 6 5 4 \naxis[0] is 3, but it must be from -3 to 2 for rank 3'
strict=(-Wall -Wextra -Wpedantic -Werror)
gcc -std=c99 "${strict[@]}" "$examples/padded_batch.c" $flags -o "$work/shared"
gcc -std=c17 "${strict[@]}" $(pkg-config --cflags libflip) "$examples/padded_batch.c" \
    "$library/libflip.a" -o "$work/static"
g++ -std=c++11 "${strict[@]}" "$examples/mirror.cc" $flags -o "$work/mirror"
cmake -S "$examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/build" >/dev/null
for program in "$work"/{shared,static,build/padded_batch}; do
    [ "$("$program")" = "$rows" ] || fail "$program says" "$("$program")"
done
for program in "$work"/{mirror,build/mirror}; do
    [ "$("$program")" = "$mirrored" ] || fail "$program says" "$("$program")"
done
echo "libflip: $(wc -w <<<"$wanted") functions, $(stat -Lc %s "$library/libflip.so") bytes"
