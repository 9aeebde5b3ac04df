"""What clients of gRPC see through HAProxy while replicas restart, and through a
balancer of connections while replicas come.

Usage: check_grpc.py restart|kill|stream|none|move
The environment is that of check.py, and PYTHON_OF_GRPC: a Python with grpcio."""

import os
import subprocess
import time

import loads
from grpc_load import HERE, GrpcLoad
from hosts import HOSTS, Balancer, Pair, Replica, end_now, name_of
from loads import ARGUMENTS, wire

GRPC = "127.0.0.1:8001"
PORT, BACKEND = "--grpc-port=8001", "flipd_grpc"
AGE = 2  # seconds

# Whole connections go to the replica with the fewest: the client's own stay where
# they are until they end.
CONNECTIONS = """
defaults
    mode tcp
    timeout connect 1s
    timeout client 60s
    timeout server 60s
listen grpc
    bind 127.0.0.1:8001
    balance leastconn
    option httpchk GET /v2/health/ready
    default-server check inter 200ms port 8000 on-marked-down shutdown-sessions
"""


def replica(host, *more):
    return Replica(host, PORT, *more)


def restart():
    pair = Pair(PORT, backend=BACKEND)
    loads.under_load([GrpcLoad(GRPC, 16, 4096), GrpcLoad(GRPC, 2, 1 << 20)], pair.restart,
                     "gRPC, restart of two replicas, one after the other")
    if wire.failures:
        print(pair.proxy.said())


def kill():
    """HAProxy repeats a call that stands in its buffer."""
    pair = Pair(PORT, backend=BACKEND)
    loads.under_load([GrpcLoad(GRPC, 16, 4096)], pair.kill, "gRPC, SIGKILL four times")
    if wire.failures:
        print(pair.proxy.said())


def stream():
    """HAProxy passes a stream's messages on as they come."""
    running = [replica("one")]
    name_of("one")
    proxy = Balancer()
    proxy.balanced(1, BACKEND)
    _, _, request, answer = GrpcLoad(GRPC, 1, 4096).command[-4:]
    said = subprocess.run([os.environ["PYTHON_OF_GRPC"], f"{HERE}/grpc_stream.py", GRPC,
                           request, answer, "20"], capture_output=True, text=True)
    wire.equal(f"answered on one stream {said.stderr}", "20", said.stdout.strip())
    wire.equal("exit code of the replica", 0, running[0].stop(seconds=20))


def none():
    """No replica is ready: the client is told, and by the rule that does not wait for one."""
    running = [replica("one")]
    name_of("one")
    proxy = Balancer()
    running[0].kill()
    proxy.balanced(0, BACKEND)
    load = GrpcLoad(GRPC, 1, 4096)
    load.start()
    said = subprocess.run(["curl", "-sS", "--http2-prior-knowledge", "-D", "-", "-d", "",
                           f"http://{GRPC}/inference.GRPCInferenceService/ServerReady"],
                          capture_output=True, text=True)
    wire.true(f"not 503 with Retry-After: {said.stdout}{said.stderr}", "retry-after: 1" in said.stdout)
    result = load.stop()
    wire.equal("answered", 0, result.answered)
    wire.true(f"not UNAVAILABLE: {result.lost[:3]}", result.lost and all(
        "UNAVAILABLE" in text for text in result.lost))


def connections(one):
    """Of the replica's gRPC, as its host's kernel counts them."""
    said = subprocess.run(["ip", "netns", "exec", one.host, "ss", "-Htn", "state",
                           "established", "sport = :8001"],
                          capture_output=True, text=True, check=True)
    return len(said.stdout.splitlines())


def move():
    """A replica comes; old connections are spread anew within their age."""
    path = os.path.join(os.environ["work"], "connections.cfg")
    with open(path, "w") as file:
        file.write(CONNECTIONS + "".join(
            f"    server {host} {HOSTS[host]}:8001\n" for host in ("one", "two")))
    running = [replica("one", f"--max-connection-age={AGE}")]
    proxy = subprocess.Popen(["haproxy", "-db", "-f", path],
                             stderr=subprocess.DEVNULL)
    times = []

    def come():
        wire.true("all are at the first", wire.within(5, lambda: connections(running[0]) >= 16))
        running.append(replica("two", f"--max-connection-age={AGE}"))
        started = time.monotonic()
        wire.true("none has moved", wire.within(
            AGE * 1.1 + 3, lambda: connections(running[1]) >= 6))
        times.append(time.monotonic() - started)

    try:
        time.sleep(0.5)
        loads.under_load([GrpcLoad(GRPC, 16, 4096)], come,
                         f"gRPC, connections no older than {AGE} s")
        print(f"seen    gRPC: of 16 connections 6 were at a new replica after "
              f"{max(times, default=0):.1f} s, at an age of {AGE} s")
    finally:
        end_now(proxy)


{"restart": restart, "kill": kill, "stream": stream, "none": none,
 "move": move}[ARGUMENTS[0]]()
wire.finish()
