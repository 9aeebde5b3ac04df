"""Two signals while one request is under way: in its headers, its body or its
reply, or a call of gRPC whose message is incomplete. The client stays until the
daemon has ended: a request whose client has gone is none that runs.

Arguments: those of wire.py, which of them, the address of gRPC."""

import os
import signal
import sys
import time

import protobuf
import wire
from grpc_wire import SERVICE, Http2, message
from question import Question

WHAT = sys.argv[3]

if WHAT == "call":
    grpc = Http2(sys.argv[4])
    stream = grpc.begin(SERVICE + "ModelInfer")
    half = message(protobuf.infer(Question(1, 16, 4, 16)))
    grpc.data(stream, half[:20], end=False)
    grpc.call(SERVICE + "ServerLive")
else:
    client = wire.Wire(receive_buffer=8192)
    request = Question(2, 5000, 4, 100, True).request()
    at = {"headers": 20, "body": len(request) // 2, "reply": len(request)}
    BEGUN = {"headers": lambda: wire.queues(client)[1] == 0,
             "body": lambda: wire.metric("flipd_inflight_bytes") > 0}
    client.send(request[:at[WHAT]])
    if WHAT == "reply":
        client.more()
    else:
        wire.true(f"the daemon has not begun with the {WHAT}",
                  wire.within(1, BEGUN[WHAT]))



def ended():
    try:
        with open(f"/proc/{wire.pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


# Two of a kind may come as one.
os.kill(wire.pid, signal.SIGTERM)
time.sleep(0.02)
os.kill(wire.pid, signal.SIGINT)
wire.true("the daemon runs on after two signals", wire.within(5, ended))
wire.finish()
