"""Shared by these scripts: checks with a count, and the operators in NumPy,
written as their documents define them."""

import asyncio
import inspect
import sys

import numpy as np

checks = 0
failures = 0


def ok(what, good, text=""):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print(f"  FAILED: {what} {text}"[:1000])


def equal(what, expected, got):
    ok(what, expected == got, f"expected <{expected!r}>, got <{got!r}>")


def same(what, expected, got):
    """Checks that two arrays have one type, one shape and the same bits."""
    got = np.asarray(got)
    equal(f"{what}: type and shape", (expected.dtype, expected.shape),
          (got.dtype, got.shape))
    if expected.dtype == np.object_:
        equal(what, expected.tolist(), got.tolist())
    else:
        equal(what, expected.tobytes(), got.tobytes())


async def settle(value):
    """The result of a call, of a synchronous or an asyncio client."""
    return await value if inspect.isawaitable(value) else value


async def refused(what, call, *texts):
    """Checks that `call` raises, and that the error contains each of `texts`:
    the daemon's message and its status."""
    try:
        got = await settle(call())
    except Exception as error:  # each client has its own class of errors
        for text in texts:
            ok(what, text in str(error), f"no <{text}> in <{error}>")
        return
    ok(what, False, f"not refused but <{got!r}>")


def reverse_sequence(x, lens, time_axis=0, batch_axis=1):
    y = x.copy()
    for b, n in enumerate(lens):
        for t in range(n):
            at, of = [slice(None)] * x.ndim, [slice(None)] * x.ndim
            at[batch_axis] = of[batch_axis] = b
            at[time_axis], of[time_axis] = t, n - 1 - t
            y[tuple(at)] = x[tuple(of)]
    return y


def finish():
    print(f"  {checks} checks, {failures} failed")
    sys.exit(failures > 0)


def run(main):
    asyncio.run(main)
    finish()
