#!/bin/bash
# A real API server takes the chart and KServe's manifests. A part of tests/deploy/run.sh, by
# name only: the server is built first, which takes a quarter of an hour on two cores.
#
# Usage: tests/deploy/kubernetes/long.sh
exec "$(dirname "${BASH_SOURCE[0]}")/test.sh" server
