# Sourced after steps.sh: the wheel, and the Pythons of this machine that it is for.
readonly versions=(3.9 3.10 3.11 3.12 3.13)
readonly wheels=$CACHE/wheel

# A Python of VERSION, on the path or of pyenv, whose shims on the path need not work.
python_of() { # VERSION
    local python

    for python in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        "$python" -c "" 2>/dev/null && echo "$python" && return
    done
    return 1
}

build_wheel() {
    rm -rf "$wheels" && deploy/python/build.py --build build/wheel --output "$wheels"
}

# An environment with the wheel and nothing else.
environment() { # VERSION
    local python

    python=$(python_of "$1") && "$python" -m venv --clear "$work/$1" &&
        "$work/$1/bin/python" -m pip install -q --disable-pip-version-check --no-index \
            --no-deps "$wheels"/*.whl
}

# More in it.
with() { # VERSION PACKAGE...
    outside "$work/$1/bin/python" -m pip install -q --disable-pip-version-check "${@:2}"
}

# Not in the folder of the package: what is tested is what was installed.
operators() { # VERSION
    (cd / && "$work/$1/bin/python" -B "$root/tests/python/test_operators.py" 2>&1)
}
