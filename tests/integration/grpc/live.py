"""ServerLive, at the address of argument 3."""

import sys

import protobuf
import wire
from grpc_wire import SERVICE, Http2

with Http2(sys.argv[3]) as one:
    wire.equal("live", [(0, protobuf.field(1, 1))],
               one.call(SERVICE + "ServerLive").messages())
wire.finish()
