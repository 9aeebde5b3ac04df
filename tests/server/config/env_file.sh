#!/bin/bash
# deploy/host/flipd.env, the file of variables of the service: each of its lines that
# begins with "#FLIPD_" is, without the "#", an option with a value that it takes.
#
# Usage: env_file.sh DAEMON ROOT
set -u

daemon=$1
file=$2/deploy/host/flipd.env
failures=0
count=0

for variable in ${!FLIPD_@}; do
    unset "$variable"
done
# Files are not there, but a value of another kind would be told first.
while IFS= read -r setting; do
    count=$((count + 1))
    said=$(env "$setting" "$daemon" --check 2>&1)
    code=$?
    if [ $code = 2 ] || grep -q 'no option has' <<<"$said" ||
        { [ $code != 0 ] && [[ $setting != */etc/flipd/* ]]; }; then
        echo "FAILED: $setting: $said"
        failures=$((failures + 1))
    fi
done < <(sed -n 's/^#\(FLIPD_\)/\1/p' "$file")
echo "$count settings, $failures failed"
[ "$count" -ge 8 ] && [ $failures = 0 ]
