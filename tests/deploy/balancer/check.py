"""What clients see through a balancer.

Usage: check.py CASE
The environment has DAEMON, NAMES (the file of names.py) and work. Prints
`seen TEXT` for a figure; the exit code is 1 when a check failed."""

import signal
import subprocess
import time

from hosts import BadReplica, Balancer, Pair, Replica, name_of, page
from loads import ARGUMENTS, BALANCER, Load, under_load, wire
from question import Question

CASE, = ARGUMENTS
INFER = f"http://{BALANCER}/v2/models/onnx.ReverseSequence/infer"


def seen(text):
    print(f"seen    {text}", flush=True)


def update():
    """New ones first: a replica starts, is named when it is healthy, then an old one
    loses its name and gets SIGTERM."""
    pair = Pair()
    running = pair.running

    def roll():
        for host in ("three", "one"):
            running.append(Replica(host))
            name_of(*(replica.host for replica in running))
            pair.balanced(3)
            old = running.pop(0)
            name_of(*(replica.host for replica in running))
            old.end()
            pair.balanced(2)

    under_load([Load(BALANCER, 16, 4096, 0), Load(BALANCER, 2, 1 << 20, 0.02)], roll,
               "rolling update of two replicas, new ones first")
    return pair.proxy


def restart():
    pair = Pair()
    under_load([Load(BALANCER, 16, 4096, 0), Load(BALANCER, 2, 1 << 20, 0.02)],
               pair.restart, "restart of two replicas, one after the other")
    return pair.proxy


def kill():
    """What the balancer can repeat, it repeats on the other replica."""
    pair = Pair()
    under_load([Load(BALANCER, 16, 4096, 0)], pair.kill, "SIGKILL four times")
    return pair.proxy


def cut():
    """A host is cut off, says nothing for 6 s, and comes back."""
    pair = Pair()

    def away():
        for state in ("down", "up"):
            subprocess.run(["ip", "link", "set", "to-two", state], check=True)
            time.sleep(6)
        pair.balanced(2)

    under_load([Load(BALANCER, 16, 4096, 0)], away, "a host cut off for 6 s")
    return pair.proxy


def starved():
    """A machine that is too busy: both replicas stand still for 3 s. They are late, but
    there; no client may be told that none is ready."""
    pair = Pair()

    def stall():
        for _ in range(3):
            for replica in pair.running:
                replica.process.send_signal(signal.SIGSTOP)
            time.sleep(3)
            wire.equal("replicas in use", 2, pair.proxy.replicas())
            for replica in pair.running:
                replica.process.send_signal(signal.SIGCONT)
            time.sleep(0.5)

    under_load([Load(BALANCER, 16, 4096, 0)], stall, "both replicas stand still for 3 s, three times")
    return pair.proxy


def ask(count):
    """The statuses of `count` requests, one after the other."""
    statuses = []
    for tag in range(count):
        question = Question(tag)
        with wire.Wire(BALANCER) as one:
            one.send(question.request(["Connection: close"]))
            reply = one.reply()
        if reply.status == 200:
            question.check(reply)
        statuses.append(reply.status)
    return statuses


def with_bad(fault):
    running = [Replica("one"), BadReplica("two", fault)]
    time.sleep(0.5)
    name_of("one", "two")
    proxy = Balancer()
    proxy.balanced(2)
    return proxy, running[1], ask(60)


def shed():
    """503 reaches the client as it is: not repeated, and the replica stays in use."""
    proxy, bad, statuses = with_bad("sheds")
    refused, posts = statuses.count(503), bad.posts()
    wire.equal("statuses", {200, 503}, set(statuses))
    wire.equal("503 of the client, and of the replica", refused, posts)
    wire.true("the replica that sheds is in use to the end", 503 in statuses[-10:])
    seen(f"a replica that sheds load: {refused} of 60 requests got its 503, none was repeated")
    return proxy


def breaks():
    """A replica that breaks connections, though ready: each request is repeated."""
    proxy, bad, statuses = with_bad("breaks")
    wire.equal("statuses", {200}, set(statuses))
    posts = bad.posts()
    wire.true("the bad replica was asked", posts > 0)
    seen(f"a replica that breaks connections: 60 of 60 answered, it was asked {posts} times")
    return proxy


def none():
    """No replica is ready: the client is told at once."""
    running = [Replica("one")]
    name_of("one")
    proxy = Balancer()
    running[0].kill()
    proxy.balanced(0)
    started = time.monotonic()
    status, headers, text = page(f"http://{BALANCER}/v2/models")
    wire.equal("status", 503, status)
    wire.equal("Retry-After", "1", headers["Retry-After"])
    wire.equal("text", '{"error":"no replica is ready"}', text.strip())
    wire.true("at once", time.monotonic() - started < 2 * wire.SCALE)
    return proxy


def statistics():
    """Both sides' figures are there for Prometheus."""
    running = [Replica("one")]
    name_of("one")
    proxy = Balancer()
    wanted = "haproxy_frontend_http_requests_total{proxy=\"flipd_in\"}"
    ask(3)
    text = proxy.statistics()
    values = [line.split()[-1] for line in text.split("\n") if line.startswith(wanted)]
    wire.true(f"{wanted} is {values}", values and float(values[0]) >= 3)
    return proxy


proxy = {
    "update": update, "restart": restart, "kill": kill, "cut": cut, "shed": shed, "breaks": breaks,
    "none": none, "starved": starved, "statistics": statistics}[CASE]()
if wire.failures:
    print(proxy.said())
wire.finish()
