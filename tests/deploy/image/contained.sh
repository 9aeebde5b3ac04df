#!/bin/bash
# Stands for the daemon in tests: runs it in a container, locked down, with the same
# options, signals and exit code. IMAGE names it; files are those below TMPDIR, shared
# memory is this machine's.
set -eu
settings=(-e FLIPD_HTTP_ADDRESS=127.0.0.1 -e FLIPD_EXIT_TIMEOUT_SECS=30)
for variable in ${!FLIPD_@}; do
    settings+=(-e "$variable")
done
exec docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges \
    --user "$(id -u):$(id -g)" --network host -v "$TMPDIR:$TMPDIR" \
    -v /dev/shm:/dev/shm "${settings[@]}" "$IMAGE" "$@"
