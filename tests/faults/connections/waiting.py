"""C16: what a connection costs whose client waits, or drips a byte a second: the
memory of the process for each of many, by what they have sent. Each kind has a
daemon of its own: one keeps some memory for the connections that come next."""

import wire
from crowd import Crowd
from daemon import Daemon
from fault import BINARY, PATH, Fault, pick

COUNT = pick(1000, 10000)
SECONDS = 3  # of dripping, so that memory that is not in use goes back
SOURCES = 4  # addresses that they come from
BOUND = 6  # KiB for each
OPTIONS = ["--header-timeout=120", "--body-timeout=120",
           f"--max-connections={COUNT * 5 // 4}"]  # near it, some are closed

GET = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n"
HEADERS = GET + b"".join(b"X-Header-%d: a value\r\n" % n for n in range(6))
POST = (f"POST {PATH} HTTP/1.1\r\nHost: a\r\n"
        f"Content-Length: 8192\r\n\r\n").encode()

# What each has sent, what it drips, the bound
KINDS = {
    "nothing": (b"", b"", BOUND),
    "request line": (b"GET /v2/hea", b"l", BOUND),
    "headers": (GET + b"A: ", b"b", BOUND),
    "seven headers": (HEADERS + b"A: ", b"b", BOUND),
    "idle": (GET + b"\r\n", b"", BOUND),
    "idle, then headers": (GET + b"\r\n" + GET + b"A: ", b"b", BOUND),
    "body": (POST, b" ", BOUND + 4),  # the body's own page
}


def cost(kind, data, drip):
    for _ in range(50):  # each loop has answered
        wire.ask("GET", "/v2")
    before = wire.memory_kib("VmRSS")
    crowds = [Crowd(source=f"127.0.0.{2 + n}") for n in range(SOURCES)]
    for crowd in crowds:
        opened = crowd.open(COUNT // SOURCES, data)
        wire.equal(f"{kind}: connections", COUNT // SOURCES, len(opened))
    for _ in range(SECONDS):
        for crowd in crowds:
            crowd.linger(1 / SOURCES, drip)
    each = (wire.memory_kib("VmRSS") - before) / COUNT
    left = sum(len(crowd.members) for crowd in crowds)
    wire.equal(f"{kind}: connections that are left", COUNT, left)
    for crowd in crowds:
        crowd.close()
    return each


def attack(daemon):
    figures = []
    for kind, (data, drip, bound) in KINDS.items():
        with Daemon(BINARY, OPTIONS):
            each = cost(kind, data, drip)
        # A sanitizer keeps memory for itself.
        wire.true(f"{kind}: {each:.1f} KiB each, {bound} are allowed",
                  wire.SCALE > 1 or each <= bound)
        figures.append(f"{kind} {each:.1f}")
    daemon.be_current()
    return f"KiB each of {COUNT}: {', '.join(figures)}"


Fault("C16", "what waiting connections cost").run(attack)
