#!/bin/bash
# The pages and the contract in both forms: bytes, types, headers, as plain text and
# as gzip; the pages' HTML and their policy. tests/page/run.sh has the rest of them, in
# a browser.
. "$(dirname "$0")/../lib/daemon.sh"

# Reads a page; prints for each style and script what the policy must say.
digests='
import base64, hashlib, re, sys
for kind, text in re.findall(r"<(style|script)>(.*?)</\1>", sys.stdin.read(), re.S):
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    print(f"; {kind}-src \x27sha256-{digest}\x27;")'
pages=0
start

for path in / /docs /status /openapi.yaml /openapi.json; do
    ask GET $path
    equal "$path" 200 "$status"
    equal "$path: plain" "" "$(header Content-Encoding)"
    plain=$(sha256sum <"$work/body")
    length=$(header Content-Length)
    policy=$(header Content-Security-Policy)
    ask HEAD $path
    equal "HEAD $path" 200 "$status"
    equal "HEAD $path: length" "$length" "$(header Content-Length)"
    equal "HEAD $path: policy" "$policy" "$(header Content-Security-Policy)"
    ask GET $path -H "Accept-Encoding: gzip"
    equal "$path: as gzip" gzip "$(header Content-Encoding)"
    equal "$path: the text" "$plain" "$(gunzip <"$work/body" | sha256sum)"
    at_most "$path as gzip: bytes" 24576 "$(header Content-Length)"
done

# Each page is one file, whose policy allows its style and its script.
for path in / /docs /status; do
    ask GET $path
    equal "$path: type" "text/html; charset=utf-8" "$(header Content-Type)"
    equal "$path: sniffing" nosniff "$(header X-Content-Type-Options)"
    matches "$path" '^<!doctype html>' "$body"
    matches "$path" '<title>flipd' "$body"
    matches "$path" "$("$daemon" --version | grep -oE '[0-9][^ ]*')" "$body"
    succeeds "$path: a part is missing" eval '! grep -q "<!--" <<<"$body"'
    policy=$(header Content-Security-Policy)
    matches "$path: policy" "^default-src 'none'; connect-src 'self'; " "$policy"
    while read -r digest; do
        succeeds "$path: the policy lacks $digest" grep -qF "$digest" <<<"$policy"
    done < <(python3 -c "$digests" <"$work/body")
    cp "$work/body" "$work/page$((pages++)).html"
done
succeeds "the pages are whole" python3 "$room/page_html.py" "$work"/page[0-2].html

# One contract: every path, and what the reference says of it.
ask GET /openapi.yaml
equal "contract: type" application/yaml "$(header Content-Type)"
paths=$(sed -n '/^paths:/,/^components:/s/^  \(\/.*\):$/\1/p' <<<"$body" | sort)
ask GET /openapi.json
answered "openapi.json" 200
equal "openapi.json: its paths" "$paths" "$(jq -r '.paths | keys[]' <<<"$body" | sort)"
json "openapi.json" '[.openapi, .info.title]' '["3.1.1","flipd"]'
json "openapi.json: a reference leads nowhere" '. as $document
    | [.. | objects | .["$ref"]? | strings | ltrimstr("#/") | split("/")
       | . as $path | $document | getpath($path) == null] | any' false
ask GET /docs
while read -r path; do
    matches "docs" "${path//[\{\}]/.}<" "$body"
done <<<"$paths"

# Metrics shrink too; tensors do not, so their rule is another.
ask GET /metrics -H 'Accept-Encoding: gzip, br'
equal "metrics" gzip "$(header Content-Encoding)"
ask GET /v2/models -H 'Accept-Encoding: gzip, br'
equal "models" "" "$(header Content-Encoding)"
counts 'flipd_http_requests_total{route="/status",code="200"}' 4
healthy "pages"
finish
