#!/bin/bash
# Tests what deploy/ holds, part by part: installs what the parts need, builds the
# daemon, runs each part and prints a line for it, its figures, and what could not run
# here with the reason. The last line is "N passed, N failed, N skipped", counted in
# the steps of the parts. The exit code is 1 when a step failed.
#
# Usage: tests/deploy/run.sh [--list] [PART...]
#   --list  print the parts
#   PART    only these. Without a name all parts of minutes run; those of an hour,
#           ROOM/long, run by name only
#
# A part is an executable ROOM/test.sh of this folder, or ROOM/{engine,long}.sh, which is
# called ROOM/engine and ROOM/long; lib/steps.sh says what it prints. It is run in the root of the repository with
#   DAEMON  the path of the release build
#   CACHE   a folder that is kept between runs and may be deleted: build/deploy
# and is given 30 minutes (ROOM/long: three hours). All it prints is kept in
# build/deploy/log/.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export CACHE=$root/build/deploy DAEMON=$root/build/release/flipd
readonly log=$CACHE/log
passed=0
failed=0
skipped=0
part= # the process of the one that runs; it is in a group of its own

trap '[ -z "$part" ] || kill "$part"; exit 1' INT TERM
cd "$root" || exit 2

parts() {
    local script

    for script in tests/deploy/*/{test,engine,long}.sh; do
        [ -x "$script" ] || continue
        script=${script#tests/deploy/}
        script=${script%.sh}
        echo "${script%/test}"
    done | sort
}

script_of() { # PART
    case $1 in
    */*) echo "tests/deploy/$1.sh" ;;
    *) echo "tests/deploy/$1/test.sh" ;;
    esac
}

prepare() {
    deploy/install-deps.sh --deploy && cmake --preset release -DTESTS=OFF &&
        cmake --build --preset release --target flipd
}

count() { # passed|FAILED|skipped FILE
    grep -cE "^$1 " "$2"
}

# A part that fails without saying at which step has failed in one more.
run() { # PART
    local name=$1 out=$log/${1//\//-} start=$SECONDS limit=1800 code=0 good bad lacking

    case $name in */long) limit=10800 ;; esac
    timeout -k 60 "$limit" "$(script_of "$name")" >"$out" 2>&1 </dev/null &
    part=$!
    wait $part || code=$?
    part=
    good=$(count passed "$out")
    bad=$(count FAILED "$out")
    lacking=$(count skipped "$out")
    if [ "$bad" = 0 ] && { [ $code != 0 ] || [ $((good + lacking)) = 0 ]; }; then
        bad=1
        echo "FAILED  it ended with $code after $good steps" >>"$out"
    fi
    echo "$name: $good passed, $bad failed, $lacking skipped, in $((SECONDS - start)) s"
    grep -E '^(seen|skipped|FAILED) ' "$out" | sed 's/^/  /'
    if [ "$bad" != 0 ]; then
        echo "  the end of ${out#"$root"/}:"
        tail -n 60 "$out" | sed 's/^/  | /'
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + lacking))
}

case ${1:-} in
--list) parts && exit ;;
-*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(parts | grep -v /long)
for name in "${names[@]}"; do
    [ -x "$(script_of "$name")" ] ||
        { echo "there is no part \"$name\", but $(parts | xargs)" >&2 && exit 2; }
done
mkdir -p "$log"
prepare >"$log/prepare" 2>&1 || { tail -n 60 "$log/prepare" && exit 1; }
for name in "${names[@]}"; do
    run "$name"
done
[ $# -gt 0 ] || for name in $(parts | grep /long); do
    echo "apart: tests/deploy/run.sh $name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
