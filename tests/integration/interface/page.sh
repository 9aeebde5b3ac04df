#!/bin/bash
# The page and the contract: bytes, types and headers.
. "$(dirname "$0")/../lib/daemon.sh"


start

ask GET /
equal "page: status" 200 "$status"
equal "page: type" "text/html; charset=utf-8" "$(header Content-Type)"
equal "page: sniffing" nosniff "$(header X-Content-Type-Options)"
matches "page: text" '^<!doctype html>' "$body"
length=$(header Content-Length)
policy=$(header Content-Security-Policy)
matches "page: policy" "^default-src 'none'; connect-src 'self'; " "$policy"
at_most "page: bytes" 40000 "$length"

# The policy allows exactly the scripts and styles of the page, by digest.
for tag in style script; do
    digest=$(python3 - "$tag" "$work/body" <<'END'
import base64, hashlib, re, sys
page = open(sys.argv[2], "rb").read().decode()
[text] = re.findall(f"<{sys.argv[1]}>(.*?)</{sys.argv[1]}>", page, re.S)
print(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())
END
    )
    succeeds "page: the policy does not allow its $tag: $policy" \
        grep -qF "; $tag-src 'sha256-$digest';" <<<"$policy"
done

ask HEAD /
equal "HEAD of the page: status" 200 "$status"
equal "HEAD of the page: length" "$length" "$(header Content-Length)"
equal "HEAD of the page: policy" "$policy" "$(header Content-Security-Policy)"
ask GET '/?from=bookmark'
equal "page with a query" 200 "$status"
ask POST / -d x
refused "POST to the page" 405 "use GET"
ask GET /favicon.ico
refused "the icon is in the page" 404 "no route"

ask GET /openapi.yaml
equal "contract: status" 200 "$status"
equal "contract: type" application/yaml "$(header Content-Type)"
equal "contract: policy" "" "$(header Content-Security-Policy)"
succeeds "contract: the tree's file" \
    cmp "$work/body" "$tree/api/routes/openapi.yaml"
ask HEAD /openapi.yaml
equal "HEAD of the contract: status" 200 "$status"
equal "HEAD of the contract: length" \
    "$(wc -c <"$tree/api/routes/openapi.yaml" | tr -d ' ')" "$(header Content-Length)"

ask GET / -H 'Accept-Encoding: gzip'
equal "page, compressed: coding" gzip "$(header Content-Encoding)"
equal "page, compressed: bytes" "$length" "$(gzip -dc <"$work/body" | wc -c)"

counts 'flipd_http_requests_total{route="/",code="200"}' 4
healthy "page"
finish
