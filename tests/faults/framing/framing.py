"""H1 to H15: bytes that are no HTTP, sent to the daemon itself, through HAProxy
and through nginx. The daemon never sees more requests than its client gets
answers: nothing is smuggled past a proxy.

  argument 2   the row"""

import re
import sys

from fault import ARGUMENTS, HERE, Fault, Skip, wire

sys.path.append(HERE + "/../../integration/transport")
from framing_cases import CASES, CLOSED, END, GET, HOST, NONE  # noqa: E402
from proxy import Proxy  # noqa: E402

TITLES = {
    "H1": "two framings", "H2": "two lengths", "H3": "lengths that are none",
    "H4": "transfer codings", "H5": "space before the colon",
    "H6": "folded lines", "H7": "CR, LF and NUL", "H8": "Host",
    "H9": "chunks in HTTP/1.0", "H10": "chunks", "H11": "sizes",
    "H12": "expectations", "H13": "other protocols",
    "H14": "bodies and lengths", "H15": "methods"}
ROW = ARGUMENTS[0]
SEEN = re.compile(
    r'^flipd_http_requests_total\{route="([^"]+)",code="\d+"\} (\d+)$', re.M)


def seen():
    """Requests that the daemon has counted, without those for metrics and for
    the checks of a proxy."""
    text = wire.ask("GET", "/metrics").body.decode()
    return sum(int(count) for route, count in SEEN.findall(text)
               if route not in ("/metrics", "/v2/health/ready"))


def exchange(data, to):
    """The statuses of all answers to `data`."""
    statuses = []
    with wire.Wire(to) as one:
        one.socket.settimeout(0.3 * wire.SCALE)
        one.send_if_open(data)
        try:
            while len(statuses) < 10:
                statuses.append(one.reply().status)
        except (wire.Closed, OSError, ValueError):
            pass
        if one.buffer:  # nginx answers HTTP/0.9 without a head
            statuses.append(200)
    return statuses


def direct(name, data, expected, state):
    got = exchange(data, wire.address)
    for want, status in zip(expected, [*got, NONE, NONE]):
        want = want if isinstance(want, set) else {want}
        wire.true(f"{name}: expected {want}, got {status}", status in want)
    if state == CLOSED and len(got) > len(expected):
        wire.fail(f"{name}: answered {got} after it was refused")
    return len(got)


def through(name, data, proxy):
    before = seen()
    got = exchange(data, proxy.address)
    counted = seen() - before
    wire.true(f"{name}: the daemon saw {counted} requests, the client "
              f"{len(got)} answers: {got}", counted <= len(got))
    follow = exchange((GET + HOST + END).encode(), proxy.address)
    wire.equal(f"{name}: the next client's answers", [200], follow)
    return counted


def attack(daemon):
    cases = [(name, data.encode("latin-1", "replace"), expected, state)
             for name, data, expected, state in CASES[ROW]]
    answers = sum(direct(*case) for case in cases)
    figure = f"{len(cases)} probes, {answers} answers"
    for name in ("haproxy", "nginx"):
        try:
            proxy = Proxy(name, daemon.folder.name, [daemon.address])
        except Skip as skip:
            figure += f", {skip}"
            continue
        with proxy:
            count = sum(through(f"{name}, {case[0]}", case[1], proxy)
                        for case in cases)
        figure += f"; {count} requests seen through {name}, none more than told"
    return figure


Fault(ROW, TITLES[ROW]).run(attack)
