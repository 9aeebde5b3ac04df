"""T-...: faults that other servers published and no row above has.

  argument 2   the row"""

import gzip
import random
import threading
import urllib.parse

import json_rows
import tensor_rows
from ask import document
from fault import ARGUMENTS, EXAMPLE, EXAMPLE_ANSWER, PATH, Fault, pick, wire
from question import Question

ROW = ARGUMENTS[0]
CHUNKED = wire.request("POST", PATH, None, ["Transfer-Encoding: chunked"])


def one_byte_chunks(body, head=CHUNKED):
    return head + b"".join(b"1\r\n%c\r\n" % byte for byte in body) + \
        b"0\r\n\r\n"


def million_chunks(daemon):
    """Memory and stack do not grow with the number of chunks."""
    count = pick(200000, 1000000)
    body = EXAMPLE + b" " * (count - len(EXAMPLE))
    memory, spent = wire.memory_kib("VmRSS"), wire.cpu_seconds()
    with wire.Wire() as one:
        one.send(one_byte_chunks(body))
        reply = one.reply()
    wire.equal("the answer", EXAMPLE_ANSWER, reply.body)
    grown = (wire.memory_kib("VmHWM") - memory) / 1024
    wire.true(f"{grown} MiB", wire.SCALE > 1 or grown < 4 * count / (1 << 20) + 4)
    return (f"{count} chunks of a byte on a stack of 256 KiB: 200, "
            f"{wire.cpu_seconds() - spent:.2f} s of CPU, peak {grown:+.1f} MiB")


def coded_chunks(daemon):
    """gzip in chunks of one byte."""
    data = gzip.compress(EXAMPLE + random.Random(3).randbytes(30000).hex()
                         .translate(str.maketrans("0123456789abcdef",
                                                  " " * 16)).encode(), 1)
    head = wire.request("POST", PATH, None, ["Transfer-Encoding: chunked",
                                             "Content-Encoding: gzip"])
    with wire.Wire() as one:
        for _ in range(pick(50, 1000)):
            one.send(one_byte_chunks(data, head))
            wire.equal("the answer", EXAMPLE_ANSWER, one.reply().body)
    return f"{pick(50, 1000)} bodies of {len(data)} chunks of a byte answered"


def outputs(daemon):
    """A million outputs, known, unknown and repeated."""
    count = pick(100000, 1000000)
    memory = wire.memory_kib("VmRSS")
    for name in ("Y", "Z", ""):
        body = document(outputs=[{"name": name}] * count)
        reply = wire.ask("POST", PATH, body)
        wire.true(f"{name}: {reply}", reply.status in (400, 413))
    grown = (wire.memory_kib("VmHWM") - memory) / 1024
    return f"3 requests for {count} outputs refused, peak {grown:+.0f} MiB"


def errors(daemon):
    """Each refusal of J3 to J7 and D1 to D7 again and again."""
    cases = [case for rows in (json_rows.ROWS, tensor_rows.ROWS)
             for row, (_, found) in rows.items() if row not in ("J1", "J2")
             for case in found if len(case.body) < 10000 and
             case.status == {400}]
    rounds, before = pick(20, 10000 * len(cases) // 100), 0
    with wire.Wire() as one:
        for number in range(rounds):
            data = [case for case in cases]
            one.send(b"".join(wire.request("POST", case.path, case.body,
                                           case.headers) for case in data))
            for case in data:
                wire.equal(case.name, 400, one.reply().status)
            if number == rounds // 5:
                before = wire.memory_kib("VmRSS")
            if number * len(cases) > pick(10 ** 9, 1000000):
                break
    grown = wire.memory_kib("VmRSS") - before
    wire.true(f"{grown} KiB more", wire.SCALE > 1 or grown < 1024)
    return (f"{(number + 1) * len(cases)} refusals of {len(cases)} kinds, "
            f"{grown:+d} KiB over the last four fifths")


NAMES = ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "a%00b", "a;id",
         "$(id)", "`id`", "a|id", "%2e%2e", "..\\..\\a", "/etc/passwd", "a" * 9000,
         "%ff%fe", "onnx.ReverseSequence%00", "onnx.ReverseSequence/../x", "~",
         "%s%n%x", "a b", "\u202e"]


def names(daemon):
    """A model's name is compared, never opened."""
    files = wire.open_files()
    for name in NAMES:
        quoted = name if "%" in name else urllib.parse.quote(name, safe="/")
        for path in (f"/v2/models/{quoted}/infer", f"/v2/models/{quoted}/versions/"
                     f"{quoted}/infer", f"/v2/repository/models/{quoted}/load"):
            reply = wire.ask("POST", path, EXAMPLE)
            wire.true(f"{path}: {reply}", reply.status in (400, 404, 414, 501))
            text = reply.body.decode(errors="replace")
            wire.true(f"{path}: {reply} shows a path of the machine",
                      "root:" not in text and "/dev/shm" not in text)
    wire.true("descriptors stay open",
              wire.within(5, lambda: wire.open_files() <= files))
    return f"{3 * len(NAMES)} spellings of a name that is none refused"


def suspended(daemon):
    """Many requests wait for a worker, as many connections are busy: none of
    the busy ones is forgotten."""
    count, slowest = pick(100, 1000), 0.0
    large = Question(3, 300, 64, 16, True).request()
    waiting = [wire.Wire() for _ in range(count)]
    sending = threading.Thread(target=lambda: [
        one.send_if_open(large) for one in waiting])
    sending.start()
    active = [wire.Wire() for _ in range(count)]
    question = Question(1)
    for one in active:
        watch = wire.Stopwatch()
        one.send(question.request())
        question.check(one.reply(), "beside those that wait")
        slowest = max(slowest, watch.seconds())
    sending.join()
    statuses = [one.reply().status for one in waiting]
    wire.true(f"{set(statuses)}", set(statuses) <= {200, 503})
    for one in waiting + active:
        one.socket.close()
    wire.true(f"{slowest} s", slowest < 5 * wire.SCALE)
    return (f"{count} suspended, {count} active: none of these later than "
            f"{slowest * 1000:.0f} ms, {statuses.count(200)} of those answered")


ROWS = {"T-CH1": ("a million chunks", million_chunks),
        "T-CH2": ("chunks of a coded body", coded_chunks),
        "T-A2": ("a million outputs", outputs),
        "T-ERR": ("every refusal, often", errors),
        "T-NAME": ("names that are paths", names),
        "T-SUS": ("suspended and active", suspended)}
HOW = {"T-CH1": {"launcher": ["prlimit", "--stack=262144"]}}.get(ROW, {})
Fault(ROW, ROWS[ROW][0], ["--inline-limit=262144"],
      kept=120 if ROW in ("T-A2", "T-SUS") else 64, **HOW).run(ROWS[ROW][1])
