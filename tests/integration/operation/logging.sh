#!/bin/bash
# /v2/logging changes the log of the running daemon, for whom it may. tests/api asks
# for every setting.
. "$(dirname "$0")/../lib/daemon.sh"

start
ask POST /v2/logging -d '{"log_info":false}'
refused "a change" 403 'allow-log-changes'
ask GET /v2/logging
json "nothing was changed" .log_info true
ask PUT /v2/logging
equal "the method comes first" 405 "$status"
stop

start --http-restricted-api logging:X-Key=k
ask POST /v2/logging -d '{"log_info":false}'
refused "a change without the header" 403 'restricted.*X-Key'
ask POST /v2/logging -d '{"log_info":false}' -H 'X-Key: k'
json "a change with the header" .log_info false
stop

start --access-log --allow-log-changes
ask GET /v2
json "listed" '.extensions | index("logging") != null' true

lines() { grep -c 'path=/v2/models' "$log"; }
ask GET /v2/models
logged() { [ "$(lines)" = "$1" ]; }
succeeds "an access is logged" within 3 logged 1
ask POST /v2/logging -d '{"log_info":false}'
json "after a change" '[.log_info, .log_error]' '[false,true]'
ask GET /v2/models
ask POST /v2/logging -d '{"log_info":true,"log_format":"json","log_verbose_level":4}'
json "after another" . '{"log_file":"","log_info":true,"log_warning":true,
    "log_error":true,"log_verbose_level":4,"log_format":"json"}'
equal "nothing was logged meanwhile" 1 "$(lines)"
ask GET /v2/models
json_lines() { grep -q '"path":"/v2/models"' "$log"; }
succeeds "lines are JSON" within 3 json_lines

ask POST /v2/logging -d "{\"log_file\":\"$work/x\"}"
refused "a file" 501 log_file
succeeds "a file was made" [ ! -e "$work/x" ]
head -c 100000 /dev/zero >"$work/big"
ask POST /v2/logging --data-binary "@$work/big"
refused "a body that is too large" 413 65536
healthy "logging"
finish
