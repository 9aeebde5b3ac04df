#!/bin/bash
# The wheel: built by its one command, installed in fresh environments of each Python that
# is here, with and without NumPy. long.sh beside this adds PyTorch, which is gigabytes.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/steps.sh"
. tests/deploy/python/pythons.sh

version=$(sed -n 's/^project(flipd VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)

same_twice() {
    deploy/python/build.py --build build/wheel-again --output "$work/again" &&
        cmp "$wheels"/*.whl "$work"/again/*.whl && rm -rf build/wheel-again
}

is_small() { [ "$(stat -c %s "$wheels"/*.whl)" -lt 3000000 ]; }

# Both ways to the daemon; it serves, and ends by a signal.
daemon_of() { # VERSION
    local bin=$work/$1/bin pid code=1

    [ "$("$bin/flipd" --version)" = "$("$bin/python" -m flipd --version)" ] &&
        "$bin/flipd" --version | grep -F "$version" || return
    "$bin/flipd" --http-address="unix:$work/socket" &
    pid=$!
    within 20 asks_daemon "$bin/python" 2>/dev/null && code=0
    kill -TERM "$pid"
    wait "$pid" && return $code
}

asks_daemon() { # PYTHON
    (cd / && "$1" -c "import flipd; assert flipd.Client('unix:$work/socket').ready()
assert flipd.__version__ == '$version'")
}

# Above what NumPy takes, the best of some, for the machine may be busy.
import_time() { # VERSION
    (cd / && "$work/$1/bin/python" - <<'END'
import subprocess, sys
code = ("import numpy, time; t = time.perf_counter(); import flipd; flipd.reverse; "
        "print(time.perf_counter() - t)")
best = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                check=True).stdout) for _ in range(15))
print(f"{best * 1000:.1f} ms")
sys.exit(best > 0.05)
END
    ) >"$work/import"
}

step "the wheel is built" build_wheel || finish
seen "$(basename "$wheels"/*.whl) has $(stat -c %s "$wheels"/*.whl) bytes"
step "it has less than 3 MB" is_small
step "two builds, the same bytes" same_twice
for python in "${versions[@]}"; do
    if ! python_of "$python" >/dev/null; then
        lacks "Python $python" "it is not here"
        continue
    fi
    step "$python: pip installs the wheel" environment "$python" || continue
    step "$python: the operators without NumPy" operators "$python"
    step "$python: the daemon on the path, and python -m flipd" daemon_of "$python"
    step "$python: NumPy is installed" with "$python" numpy || continue
    step "$python: the operators with NumPy" operators "$python"
    step "$python: import takes less than 50 ms above NumPy's" import_time "$python" &&
        seen "$python: import takes $(cat "$work/import") above NumPy's"
done
finish
