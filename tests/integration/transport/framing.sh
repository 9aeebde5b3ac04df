#!/bin/bash
# Malformed HTTP, and valid but unusual HTTP.
. "$(dirname "$0")/../lib/daemon.sh"

start
python framing.py
healthy "framing"
stop

# Without the I/O adapter nobody sees what libmicrohttpd answers.
pair=(--tls-cert=/dev/null --tls-key=/dev/null)
said=$(timeout 10 "$daemon" --http-port=0 "${pair[@]}" 2>&1)
[[ $said = *MHD_IO=plain* ]] && { finish; exit; }

start --access-log
python refused.py "$log"
healthy "refusals"
finish
