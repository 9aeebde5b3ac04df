#!/bin/bash
# --tls-cert, --tls-key, --tls-client-ca: the same answers over TLS, none
# without a valid certificate, renewal without a restart.
. "$(dirname "$0")/../lib/daemon.sh"

pki=$work/pki
mkdir "$pki"

quiet() { "$@" 2>"$work/openssl" || die "$* $(<"$work/openssl")"; }

new_key() { # NAME
    quiet openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 \
        -out "$pki/$1.key"
}

authority() { # NAME
    new_key "$1"
    quiet openssl req -x509 -new -key "$pki/$1.key" -subj "/CN=$1" -days 30 \
        -addext keyUsage=critical,keyCertSign -out "$pki/$1.pem"
}

# A certificate, its key, and both in one file. Python 3.13 wants all of these
# extensions of a certificate.
issue() { # NAME AUTHORITY DAYS
    new_key "$1"
    quiet openssl req -new -key "$pki/$1.key" -subj "/CN=$1" -out "$work/csr"
    quiet openssl x509 -req -in "$work/csr" -CA "$pki/$2.pem" \
        -CAkey "$pki/$2.key" -CAcreateserial -days "$3" \
        -extfile "$work/extensions" -out "$pki/$1.pem"
    cat "$pki/$1.pem" "$pki/$1.key" >"$pki/$1.both"
}

cat >"$work/extensions" <<'EOF'
basicConstraints=CA:FALSE
keyUsage=critical,digitalSignature
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName=DNS:localhost,IP:127.0.0.1
EOF
authority ca
authority other
issue server ca 30
issue second ca 20
issue client ca 30
issue stranger other 30
chmod 600 "$pki"/*
export TLS_CA=$pki/ca.pem
pair=("--tls-cert=$pki/server.pem" "--tls-key=$pki/server.key")

start_tls() { # OPTION...
    start "$@"
    url=${url/#http:/https:}
    curl_to+=(--cacert "$pki/ca.pem")
}

# Checks curl's error for a request without an answer: $status begins with 000.
unanswered() { # WHAT REGEX
    matches "$1" "^000 .*($2)" "$status"
    equal "$1: body" "" "$body"
}

timeout --foreground $((60 + 5 * scale)) "$daemon" --http-port=0 \
    "--tls-cert=$pki/server.pem" "--tls-key=$pki/second.key" 2>"$work/err"
equal "another key: exit code" 1 $?
matches "another key" '--tls-key .*/second.key: not the key of' "$(<"$work/err")"

# The same answers.
start_tls "${pair[@]}" --log-level=debug --worker-count=2
matches "start line" "listening on $address url=https://$address" "$(<"$log")"
matches "the log" "info TLS cert=.*/server.pem client_ca=none" "$(<"$log")"
equal "warnings" 0 "$(grep -c ' warning ' "$log")"
healthy "TLS"
equal "HTTP version" 1.1 "$(curl -s "${curl_to[@]}" -o "$work/body" \
    -w '%{http_version}' "$url/v2")"
for version in 1.2 1.3; do
    ask GET /v2/health/ready --tlsv$version --tls-max $version
    equal "TLS $version" 200 "$status"
done
python framing.py
python keep_alive.py
python parallel.py
python aborts.py 50
healthy "TLS, many ways"

# No second handshake on a connection is given, which costs as much as a first one.
mkfifo "$work/keys"
exec {keys}<>"$work/keys"
echo R >&"$keys" # to openssl: renegotiate
timeout 60 openssl s_client -connect "$address" -tls1_2 <"$work/keys" >"$work/openssl" 2>&1
exec {keys}>&-
matches "renegotiation" 'no renegotiation' "$(<"$work/openssl")"

# Clients that get no connection.
curl_to=(--cacert "$pki/other.pem")
ask GET /v2
unanswered "an unknown authority" certificate
curl_to=()
url=http://$address
sleep 1 # so that its line is among the first 20 of a second
ask GET /v2
equal "plain HTTP: body" '{"error":"this port speaks TLS: ask with https"}' \
    "$body"
answered "plain HTTP" 400
matches "the log" 'debug TLS failed client=127.* stage=handshake reason="http req' \
    "$(<"$log")"
stop

# Large bodies, both ways.
start_tls "${pair[@]}"
path=/v2/models/onnx.ReverseSequence/infer
python infer/large.py make 64 "$work/request" >"$work/made"
read -r length digest _ <"$work/made"
for how in 'Expect: 100-continue' 'Transfer-Encoding: chunked'; do
    ask POST $path --data-binary "@$work/request" -H "$how" \
        -H "Inference-Header-Content-Length: $length"
    equal "64 MiB, $how: status ($(head -c 300 <<<"$body"))" 200 "$status"
    split=$(header Inference-Header-Content-Length)
    equal "64 MiB, $how: digest" "$digest" \
        "$(tail -c +$((split + 1)) "$work/body" | sha256sum | cut -d' ' -f1)"
done
rm "$work/request"
python body_receive.py
python sliced_send.py
healthy "large tensors"
stop
start_tls "${pair[@]}" --worker-count=1 --inline-limit=0 --max-queue-delay=0
python tls.py suspended
healthy "suspended"
stop

# Errors sent before the end of a body, and time limits.
start_tls "${pair[@]}" --http-max-input-size=3000000 --max-inflight-bytes=8000000
python content_coding.py
head -c 3000001 /dev/zero >"$work/over"
for how in 'Expect: 100-continue' 'Expect:' 'Transfer-Encoding: chunked'; do
    ask POST $path --data-binary "@$work/over" -H "$how"
    refused "too large, $how" 413 3000000
done
healthy "413"
stop
start_tls "${pair[@]}" --header-timeout=1 --body-timeout=1 --idle-timeout=2
python limits/slow_clients.py
python tls.py slow
succeeds "header_timeout is not counted" \
    [ "$(metric 'flipd_rejected_total{reason="header_timeout"}')" -ge 3 ]
healthy "slow clients"
stop

# What libmicrohttpd refuses by itself.
start_tls "${pair[@]}" --access-log --cors-allow-origin=http://a.example
python refused.py "$log"
healthy "refusals"
stop

# Client certificates.
start_tls "${pair[@]}" "--tls-client-ca=$pki/ca.pem"
for version in 1.2 1.3; do
    ask GET /v2 --tlsv$version --tls-max $version
    unanswered "no certificate, TLS $version" 'alert|certificate'
    ask GET /v2 --tlsv$version --tls-max $version --cert "$pki/client.both"
    equal "client of the authority, TLS $version" 200 "$status"
done
python tls.py unread
TLS_CERT=$pki/client.both python parallel.py
curl_to+=(--cert "$pki/client.both")
healthy "client certificates"
stop

# Other authorities, without a signal.
enters() { # CLIENT
    ask GET /v2 --cert "$pki/$1.both"
    [ "$status" = 200 ]
}
cp "$pki/ca.pem" "$work/live-ca.pem"
start_tls "${pair[@]}" "--tls-client-ca=$work/live-ca.pem"
succeeds "a client of the authority" enters client
cp "$pki/other.pem" "$work/live-ca.pem"
succeeds "a client of the new authority" within 15 enters stranger
ask GET /v2 --cert "$pki/client.both"
unanswered "a client of the old authority" 'alert|certificate'
stop
start_tls "${pair[@]}" "--tls-client-ca=$pki/ca.pem"
curl_to+=(--cert "$pki/client.both")

# --probe presents the daemon's own certificate.
probe() { # WHAT CODE OPTION...
    local what=$1 expected=$2 to=("--http-port=${address##*:}")

    shift 2
    case $address in unix:*) to=("--http-address=$address") ;; esac
    timeout --foreground $((60 + 5 * scale)) "$daemon" --probe "${to[@]}" "$@" \
        2>"$work/err"
    code=$?
    equal "probe, $what: exit code ($(<"$work/err"))" "$expected" $code
}
mutual=("${pair[@]}" "--tls-client-ca=$pki/ca.pem")
probe "client certificates" 0 "${mutual[@]}"
probe "without one" 1 "${pair[@]}"
probe "of another" 1 "--tls-cert=$pki/stranger.pem" \
    "--tls-key=$pki/stranger.key" "--tls-client-ca=$pki/ca.pem"
python tls_probe.py "$daemon" "$pki/server.pem" "$pki/server.key" "$work"
stop
probe "of nobody" 1 "${mutual[@]}"
start_tls "${pair[@]}" --drain-delay=600
probe "TLS" 0 "${pair[@]}"
probe "TLS that it was not told of" 0
kill -TERM "$pid"
within 2 grep -q drain "$log"
probe "TLS, draining" 1 "${pair[@]}"
kill -TERM "$pid"
await_end 5
port=$(free_port)
start_tls "${mutual[@]}" --admin-port="$port"
probe "admin port" 0 "${mutual[@]}" "--admin-port=$port"
equal "the admin port is plain" 200 "$(curl -s -o "$work/body" \
    -w '%{http_code}' "http://127.0.0.1:$port/v2/health/ready")"
stop

# Renewal, and a certificate that does not fit its key.
shown() { # the name in the certificate that a new client sees
    openssl s_client -connect "$address" -servername localhost </dev/null \
        2>"$work/openssl" | sed -nE 's/^subject=CN ?= ?//p'
}
shows() { [ "$(shown)" = "$1" ]; }
logged() { grep -q "$1" "$log"; }
expires() { # CERT: the metrics say when it does
    local end

    end=$(openssl x509 -in "$pki/$1.pem" -noout -enddate)
    metric_is flipd_tls_certificate_expiry_timestamp_seconds \
        "$(date -d "${end#*=}" +%s)"
}
read_well() { metric_is 'flipd_last_reload_successful{what="tls"}' "$1"; }
renew() { # CERT KEY
    cp "$pki/$1.pem" "$work/live.pem"
    cp "$pki/$2.key" "$work/live.key"
}
renew server server
chmod 644 "$work/live.key"
start_tls "--tls-cert=$work/live.pem" "--tls-key=$work/live.key"
matches "the log" "warning every user may read the TLS key" "$(<"$log")"
equal "the first certificate" server "$(shown)"
succeeds "its end" expires server
succeeds "the first reading" read_well 1
coproc holder {
    PYTHONPATH=$library exec python3 "$room/tls.py" "$address" "$pid" held
}
exec {held}<&"${holder[0]}" {tell}>&"${holder[1]}"
read -r -t $((busy + 10 * scale)) line <&"$held"
equal "a connection" open "$line"
# SIGHUP reads them again, changed or not.
last_reading() {
    metric 'flipd_last_reload_success_timestamp_seconds{what="tls"}'
}
first=$(last_reading)
# The daemon's clock of seconds may be a tick behind.
seconds_later() { [ "$(date +%s)" -gt "$((first + 1))" ]; }
within 3 seconds_later
kill -HUP "$pid"
reads_again() { [ "$(last_reading)" -gt "$first" ]; }
succeeds "SIGHUP" within 3 reads_again
renew second second
kill -HUP "$pid"
succeeds "the second certificate" within 3 shows second
succeeds "its end" expires second
renew server second
kill -HUP "$pid"
succeeds "a wrong pair is logged" within 3 logged \
    'error the TLS certificate stays as it is reason=.*not the key'
equal "after a wrong pair" second "$(shown)"
succeeds "a wrong pair in the metrics" within 3 read_well 0
succeeds "the end of the one that stays" expires second
# Renewal without a signal: cert-manager sends none.
renew server server
succeeds "files that changed" within 15 shows server
succeeds "the reading of files that changed" within 3 read_well 1
echo >&"$tell"
read -r -t $((busy + 10 * scale)) line <&"$held"
equal "the connection from before" answered "$line"
healthy "new certificates"

# At the end, TLS clients get a close_notify.
kill -TERM "$pid"
await_end 10
equal "exit code" 0 "$code"
read -r -t $((busy + 10 * scale)) line <&"$held"
equal "the connection at the end" farewell "$line"

# A unix socket.
start_tls "${pair[@]}" "--http-address=unix:$work/socket"
curl_to=(--unix-socket "$work/socket" --cacert "$pki/ca.pem")
healthy "TLS on a unix socket"
python parallel.py
probe "unix socket" 0 "${pair[@]}"
finish
