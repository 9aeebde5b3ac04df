#!/bin/bash
# Malformed HTTP, and valid but unusual HTTP.
. "$(dirname "$0")/../lib/daemon.sh"

start
python framing.py
healthy "framing"
stop

start --access-log --cors-allow-origin=http://a.example
python refused.py "$log"
healthy "refusals"
finish
