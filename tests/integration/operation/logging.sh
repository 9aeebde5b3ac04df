#!/bin/bash
# /v2/logging: reading, changes, errors, and their effect on the log.
. "$(dirname "$0")/../lib/daemon.sh"

start
ask GET /v2/logging
before=$body
for change in '{"log_info":false}' '{}' 'nonsense' ''; do
    ask POST /v2/logging -d "$change"
    refused "a change, $change" 403 'allow-log-changes'
done
ask GET /v2/logging
equal "nothing was changed" "$before" "$body"
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
ask GET /v2/logging
json "at the start" . '{"log_file":"","log_info":true,"log_warning":true,
    "log_error":true,"log_verbose_level":0,"log_format":"text"}'
ask GET /v2
json "listed" '.extensions | index("logging") != null' true

lines() { grep -c 'path=/v2/models' "$log"; }
ask GET /v2/models
logged() { [ "$(lines)" = "$1" ]; }
succeeds "an access is logged" within 3 logged 1
ask POST /v2/logging -d '{"log_info":false}'
json "after a change" '[.log_info, .log_error]' '[false,true]'
ask GET /v2/models
ask POST /v2/logging -d '{"log_info":true,"log_format":"json","log_verbose_level":1}'
json "after another" '[.log_info, .log_format, .log_verbose_level]' \
    '[true,"json",1]'
equal "nothing was logged meanwhile" 1 "$(lines)"
ask GET /v2/models
json_lines() { grep -q '"path":"/v2/models"' "$log"; }
succeeds "lines are JSON" within 3 json_lines
for format in default ISO8601 text; do
    ask POST /v2/logging -d "{\"log_format\":\"$format\"}"
    json "$format is echoed" .log_format "\"$format\""
done
ask POST /v2/logging -d '{"log_file":"","log_info":null}'
answered "what changes nothing" 200
ask POST /v2/logging
answered "an empty body" 200

ask POST /v2/logging -d '{"log_verbose_level":4}'
json "a higher level" .log_verbose_level 4
ask GET /v2/logging
json "a higher level is kept" .log_verbose_level 4
ask POST /v2/logging -d '{"log_verbose_level":-7}'
refused "a level below 0" 400 'log_verbose_level is -7'
ask POST /v2/logging -d "{\"log_file\":\"$work/x\"}"
refused "a file" 501 log_file
succeeds "a file was made" [ ! -e "$work/x" ]
for wrong in '{"log_info":1}' '{"log_verbose_level":-1}' '{"log_format":"xml"}' \
    '{"log_level":1}' '{"log_verbose_level":true}' '{"log_file":{}}' \
    '{' '[]' '{"log_info":true}x'; do
    ask POST /v2/logging --data-binary "$wrong"
    refused "$wrong" 400 .
done
ask POST /v2/logging -d '{"log_error":false,"log_info":7}'
ask GET /v2/logging
json "a refused change changes nothing" .log_error true
ask POST /v2/logging --data-binary "@$(head -c 100000 /dev/zero >"$work/big"; echo "$work/big")"
refused "a body that is too large" 413 65536
ask DELETE /v2/logging
equal "method" 405 "$status"
healthy "logging"
finish
