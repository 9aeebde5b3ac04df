#!/bin/bash
# The wheel beside PyTorch, with each Python that is here and that PyTorch is published
# for. By name only: an environment takes up to 5 GB.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/steps.sh"
. tests/deploy/python/pythons.sh

step "the wheel is built" build_wheel || finish
for python in "${versions[@]}"; do
    if ! python_of "$python" >/dev/null; then
        lacks "Python $python" "it is not here"
        continue
    fi
    step "$python: pip installs the wheel" environment "$python" &&
        step "$python: PyTorch is installed" with "$python" numpy torch &&
        step "$python: the operators with PyTorch" operators "$python"
    rm -rf "${work:?}/$python"
done
finish
