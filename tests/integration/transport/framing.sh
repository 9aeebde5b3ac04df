#!/bin/bash
# Malformed HTTP, and valid but unusual HTTP.
. "$(dirname "$0")/../lib/daemon.sh"

start
python framing.py
healthy "framing"
finish
