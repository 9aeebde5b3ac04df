"""Each call in the log and in the metrics, with exact values.

Argument 3: the address of gRPC; 4: the log, in JSON."""

import struct
import sys
import time
import urllib.parse

import protobuf
import wire
from grpc_wire import (CANCEL, DATA, END_STREAM, OK, RST_STREAM, SERVICE,
                       UNIMPLEMENTED, Http2, frame, message)
from question import Question

ADDRESS, LOG = sys.argv[3:5]
INFER, STREAM = SERVICE + "ModelInfer", SERVICE + "ModelStreamInfer"
ROUTE = "/v2/models/{model}/infer"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def logged(name, count=1):
    """The lines of the call with this id, once there are so many."""
    found = wire.logged(LOG, count, message="request", id=name)
    return (found + [{}] * count)[:count]


def has(what, line, **fields):
    wire.equal(what, fields, {name: line.get(name) for name in fields})


def asked(name, trace=True):
    return [("x-request-id", name), ("user-agent", "a test"),
            *([("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01")]
              if trace else [])]


def unary():
    payload = protobuf.infer(Question(7, 40, 4, 9))
    with Http2(ADDRESS) as one:
        call = one.call(INFER, payload, asked("unary"))
        port = one.socket.getsockname()[1]
    line, = logged("unary")
    has("unary", line, method="gRPC", path=INFER, status=200,
        received=len(payload), sent=len(call.data), model=protobuf.MODEL,
        client=f"127.0.0.1:{port}", user_agent="a test", trace_id=TRACE,
        reason=None)
    wire.true(f"its times: {line}", 0 <= sum(
        line[stage] for stage in ("queue_us", "read_us", "move_us", "write_us")
    ) <= line["us"] + 4)
    wire.equal("x-request-id", "unary", call.field("x-request-id", 0))


def without():
    """What a client does not send, or what is not valid, is not told."""
    with Http2(ADDRESS) as one:
        one.call(SERVICE + "ServerLive", b"", [("x-request-id", "without"),
                                               ("traceparent", f"00-{TRACE}")])
        has("without", logged("without")[0], status=200, trace_id=None,
            user_agent=None, model=None)
        call = one.call(SERVICE + "ServerLive", b"", [("x-request-id", "a b")])
        wire.equal("no echo", None, call.field("x-request-id", 0))


def long_texts():
    """A path and an agent are cut, so that the other fields have room."""
    path = "/" + "p" * 300
    with Http2(ADDRESS) as one:
        call = one.call(path, b"", [("x-request-id", "long"),
                                    ("user-agent", "u" * 500)])
    wire.equal("an unknown method", UNIMPLEMENTED, call.status)
    has("cut", logged("long")[0], path=path[:256], user_agent="u" * 200,
        status=404)
    for path, coding in ("/x" + "\u00fc" * 100, "gzip"), (INFER, "\u00fc" * 60):
        for more in "", "x":
            with Http2(ADDRESS) as one:
                call = one.call(path + more if path != INFER else path, b"",
                                [("grpc-encoding", more + coding)])
            wire.equal(f"{path} {coding}", UNIMPLEMENTED, call.status)
            wire.true(f"cut in a character: {call.text}", "\u00fc..." in
                      urllib.parse.unquote(call.text, errors="strict"))


def streamed():
    """Each message has a line of its own; its time begins with it, not with
    the call."""
    payloads = [protobuf.infer(Question(n, 3 + n, 2, 5)) for n in range(2)]
    sizes, sent_at = [], 0
    with Http2(ADDRESS) as one:
        stream = one.begin(STREAM, asked("streamed"))
        call = one.calls[stream]
        for number, payload in enumerate(payloads):
            time.sleep(0.7 * number)
            sent_at = time.monotonic()
            one.data(stream, message(payload), end=False)
            one.until(lambda: len(call.messages()) == number + 1)
            sizes.append(len(call.data) - sum(sizes))
        found = logged("streamed", 2)
        passed_us = (time.monotonic() - sent_at) * 1e6
        one.send(frame(DATA, END_STREAM, stream))
        wire.equal("status", OK, one.await_call(stream).status)
    for line, payload, size in zip(found, payloads, sizes):
        has("a message", line, method="gRPC", path=STREAM, status=200,
            received=len(payload), sent=size, model=protobuf.MODEL)
    wire.true(f"{found[-1].get('us')} us of {passed_us}",
              found[-1].get("us", passed_us) < passed_us)
    wire.equal("lines of the stream", 2, len(wire.log_lines(
        LOG, message="request", id="streamed")))


def cancelled():
    with Http2(ADDRESS) as one:
        stream = one.begin(INFER, asked("cancelled"))
        one.data(stream, message(bytes(1000))[:400], end=False)
        one.send(frame(RST_STREAM, 0, stream, struct.pack(">I", CANCEL)))
        has("cancelled", logged("cancelled")[0], status=499, received=400,
            sent=0)


def requests(route, code):
    return wire.metric("flipd_http_requests_total"
                       f'{{route="{route}",code="{code}"}}') or 0


def counted():
    """Beside the log's lines: the counters of a call grow by what it moves."""
    names = ('flipd_bytes_total{direction="received"}',
             'flipd_bytes_total{direction="sent"}',
             "nv_inference_request_success"
             f'{{model="{protobuf.MODEL}",version="10"}}',
             'flipd_http_request_duration_seconds_count'
             f'{{route="{ROUTE}"}}')
    wire.metric(names[0])  # the request before is counted now
    page = wire.ask("GET", "/metrics").body
    before = [wire.metric(name) for name in names]
    asked_, other = requests(ROUTE, 200), requests("none", 404)
    payload = protobuf.infer(Question(3, 20, 3, 7))
    with Http2(ADDRESS) as one:
        call = one.call(INFER, payload)
        one.call("/nothing")
    wire.true("an inference", wire.within(
        5, lambda: requests(ROUTE, 200) == asked_ + 1))
    wire.true("a method that there is not", wire.within(
        5, lambda: requests("none", 404) == other + 1))
    after = [wire.metric(name) for name in names]
    wire.equal("received", len(payload), after[0] - before[0])
    wire.true("sent", after[1] - before[1] >= len(call.data) + len(page))
    wire.equal("inferences", [1, 1], [after[n] - before[n] for n in (2, 3)])


wire.run(unary, without, long_texts, streamed, cancelled, counted)
