#!/bin/bash
# Requests that are wrong as HTTP, and right ones that look odd.
. "$(dirname "$0")/../lib/daemon.sh"

start
python framing.py
healthy "framing"
finish
