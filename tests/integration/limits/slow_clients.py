"""--header-timeout=1 --body-timeout=1 --idle-timeout=2: a slow client is cut
off if it sends nothing or single bytes, and no other client waits for it."""

import time

from question import PATH, Question, announce, deaf
from wire import (BUSY, Closed, SCALE, Stopwatch, WOULD_BLOCK, Wire, finish,
                  metric, request, true, within)

WHOLE = Question(1).request()
HEAD = WHOLE[:WHOLE.index(b"\r\n\r\n")]


class Slow:
    """A connection that is silent, or sends one byte at each step."""

    def __init__(self, what, start, drip, at_most, answer):
        self.what, self.drip, self.at_most = what, drip, at_most
        self.answer = answer  # the expected status; 0: the connection ends
        self.wire = Wire()
        self.wire.send(start)
        self.wire.socket.setblocking(False)
        self.start = time.monotonic()
        self.took = None
        self.got = b""

    def step(self):
        if self.took is not None:
            return
        try:
            if self.drip:
                self.wire.send(self.drip)
            data = self.wire.socket.recv(65536)
            self.got += data
            if data:
                return
        except WOULD_BLOCK:
            return
        except OSError:
            pass
        self.took = time.monotonic() - self.start

    def check(self):
        if self.took is None:
            return true(f"{self.what}: still open after {self.at_most} s",
                        False)
        true(f"{self.what}: cut after {self.took:.1f} s",
             0.9 < self.took < BUSY + self.at_most * SCALE)
        status = int(self.got.split()[1]) if self.got else 0
        true(f"{self.what}: got {self.got[:100]!r}",
             status in (self.answer, 0))


slow = [
    Slow("half a header", HEAD, b"", 3, 408),
    Slow("a header that drips", HEAD, b"x", 3, 408),
    Slow("half a body", WHOLE[:-5], b"", 3, 408),
    Slow("no body of 64 MiB", announce(64 << 20), b"", 4, 408),
    Slow("a body that drips", announce(1000), b" ", 3, 408),
    Slow("chunks that drip", request(
        "POST", PATH, None, ["Transfer-Encoding: chunked"]),
        b"1\r\n \r\n", 3, 408),
    Slow("waits for 100 and sends nothing", announce(10, "Expect: 100-continue"),
        b"", 3, 100),
]
# The client never reads this answer, which exceeds the kernel's buffers.
unread = Question(3, 1500, 8, 128, True)
stalled = deaf(unread)
stalled_since = time.monotonic()
idle = Wire()
idle.send(WHOLE)
Question(1).check(idle.reply(), "before it idles, question")
end = time.monotonic() + BUSY + 4 * SCALE
while time.monotonic() < end and any(s.took is None for s in slow):
    for connection in slow:
        connection.step()
    question = Question(int(time.monotonic() * 1000) % 100000)
    with Wire() as wire:
        watch = Stopwatch()
        wire.send(question.request())
        question.check(wire.reply(), "beside slow clients, question")
        true("healthy traffic waited", watch.seconds() < SCALE)
    time.sleep(0.2)
for connection in slow:
    connection.check()
true("an idle connection stays open", idle.ends(3))

# Whatever its size, a client that reads nothing has the body timeout, and up to
# two seconds until that is looked at.
true("an answer that nobody reads is held on", within(
    4, lambda: metric("flipd_inflight_bytes") == 0))
true("an answer that nobody reads was given up at once",
     time.monotonic() - stalled_since > 1)
try:
    unread.check(stalled.reply(), "given up, but whole: question")
    true("an answer that nobody read came whole", False)
except Closed:
    pass

# A body in many parts within its time is answered.
parts = Question(2)
with Wire() as wire:
    data = parts.request()
    for at in range(0, len(data), 50):
        wire.send(data[at:at + 50])
        time.sleep(0.02)
    parts.check(wire.reply(), "in parts, question")
finish()
