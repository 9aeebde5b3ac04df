"""--body-timeout=1 --idle-timeout=2: a reply that the kernel holds when its
connection is closed counts until the client has it, or is given up; a client
that reads gets all of it."""

from question import Question, deaf
from wire import Closed, address, finish, metric, true, within

CLOSE = ["Connection: close"]
PORT = f":{int(address.rsplit(':', 1)[1]):04X}"


def large(tag):
    """The answer fits in the socket's buffer: 40 KiB."""
    return Question(tag, 40, 8, 32, True)


def held():
    """Bytes that the kernel holds for clients of the daemon."""
    total = 0
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name) as table:
            rows = [line.split() for line in table][1:]
        total += sum(int(row[4].split(":")[0], 16) for row in rows
                     if row[1].endswith(PORT) and row[3] != "0A")
    return total


def given_up(what, wire, question, seconds):
    true(f"{what}: the kernel holds {held()} bytes", within(
        2, lambda: held() > 20000))
    counted = metric("flipd_connections")
    true(f"{what}: it does not count", counted >= 2 or held() < 20000)
    true(f"{what}: {held()} bytes are held on", within(
        seconds, lambda: held() < 4096))
    true(f"{what}: the connection counts on", within(
        1, lambda: metric("flipd_connections") == 1))
    try:
        question.check(wire.reply(), f"{what}, but whole: question")
        true(f"{what}: it came whole", False)
    except (Closed, OSError):
        pass


asked = large(1)
given_up("closed after the reply", deaf(asked, CLOSE), asked, 6)
asked = large(2)
given_up("closed when idle", deaf(asked), asked, 10)

steady = large(3)
with deaf(steady, CLOSE) as wire:
    wire.read_slowly(4, 2048, 0.1)
    steady.check(wire.reply(), "read slowly, question")
true("a reader's connection counts on", within(
    2, lambda: metric("flipd_connections") == 1))
finish()
