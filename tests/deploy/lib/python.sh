# Sourced after steps.sh: Python packages of PyPI, in $CACHE/python.
#
#   python_with NAME==VERSION...  installs what is missing of them
#
# Then "$CACHE/python/bin/python" has them.
python_with() { # NAME==VERSION...
    [ -x "$CACHE/python/bin/python" ] || python3 -m venv "$CACHE/python" || return
    outside "$CACHE/python/bin/python" -m pip install -q --disable-pip-version-check "$@"
}
