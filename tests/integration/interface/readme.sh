#!/bin/bash
# The README: its requests give the answers shown, and its tables name every
# option and model.
. "$(dirname "$0")/../lib/daemon.sh"

readme=$tree/README.md

start --allow-client-shm
python readme.py "$readme"

for option in $("$daemon" --help | grep -oE '^ *--[a-z-]+' | tr -d ' '); do
    case $option in --help | --version) continue ;; esac
    succeeds "the README does not name $option" \
        grep -q -- "| \`$option\` |" "$readme"
done
ask GET /v2/models
for model in $(jq -r '.models[]' <<<"$body"); do
    succeeds "the README does not name $model" \
        grep -q -- "^| \`$model\` |" "$readme"
done
finish
