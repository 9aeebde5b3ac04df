#!/bin/bash
# Replies beside the contract: their statuses, types and headers stand there.
. "$(dirname "$0")/../lib/daemon.sh"

start --http-restricted-api=logging:X-Api-Key=k --http-max-input-size=100000
python contract.py
finish
