"""P6, P9, P10, P12, P13: a machine that gives little.

  argument 2   the row"""

import os
import resource
import shutil
import subprocess
import sys
import time

import cgroup
from daemon import Daemon, NotStarted
from fault import (ARGUMENTS, BINARY, MIB, Fault, Skip, example, pick,
                   wire)
from question import Question

ROW = ARGUMENTS[0]
NOBODY = 65534


def root(why):
    if os.geteuid() != 0:
        raise Skip(f"{why} needs root")


def another(*options, **how):
    return Daemon(BINARY, options, current=True, **how)


def storm(count, patience=10):
    """Returns how many of `count` inferences on new connections are right, and
    the longest time in ms. None may be wrong."""
    right, longest = 0, 0.0
    for number in range(count):
        question = Question(number, 50, 8, 10, number % 2 == 0)
        started = time.monotonic()
        try:
            with wire.Wire() as one:
                one.socket.settimeout(wire.BUSY + patience * wire.SCALE)
                one.send(question.request())
                reply = one.reply()
            if reply.status == 200:
                right += question.check(reply)
        except (wire.Closed, OSError):
            pass
        longest = max(longest, (time.monotonic() - started) * 1000)
    return right, longest


def unprivileged(daemon):
    """P6: a user of its own without capabilities, and nothing to write."""
    root("another user")
    script = ("mount --make-rprivate / && mount -o remount,bind,ro / && "
              "exec setpriv --reuid 65532 --regid 65532 --clear-groups "
              "--bounding-set -all --inh-caps -all --no-new-privs "
              '"$0" "$@"')
    launcher = ["unshare", "-m", "sh", "-c", script]
    if subprocess.run([*launcher, "true"], capture_output=True).returncode:
        raise Skip("no right to make a mount namespace")
    shutil.copy(BINARY, "/tmp/flipd-unprivileged")
    os.chmod("/tmp/flipd-unprivileged", 0o755)
    try:
        with Daemon("/tmp/flipd-unprivileged", ["--drain-delay=0"], launcher,
                    current=True) as one:
            right, _ = storm(100)
            with open(f"/proc/{one.pid}/status") as status:
                fields = dict(line.split(":\t", 1) for line in status)
            wire.equal("user", "65532", fields["Uid"].split()[0])
            wire.equal("capabilities", 0, int(fields["CapEff"], 16))
            wire.equal("exit code", 0, one.stop())
    finally:
        os.unlink("/tmp/flipd-unprivileged")
        daemon.be_current()
    wire.equal("right answers", 100, right)
    return "100 of 100 answered as user 65532, no capabilities, root read-only"


INJECTED = ["accept4:error=EMFILE:when=3+5", "accept4:error=ECONNABORTED:when=2+3",
            "epoll_wait,epoll_pwait:error=EINTR:when=2+3",
            "sendmsg,sendto:error=EAGAIN:when=2+7",
            "recvfrom,recvmsg:error=ECONNRESET:when=20+20",
            "sendmsg,sendto:error=ECONNRESET:when=20+20",
            "mmap:error=ENOMEM:when=200+3", "madvise:error=EINVAL:when=1+1",
            "setsockopt:error=EPERM:when=1+1", "futex:error=EINTR:when=50+50"]


def injected(daemon):
    """P9: system calls fail now and then. (tests/torture does it in turn.)"""
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    total = 0
    for what in INJECTED:
        tracer = ["strace", "-D", "-f", "-qq", "-e",
                  f"inject={what}", "-o", "/dev/null"]
        try:
            with another(launcher=tracer) as one:
                right, _ = storm(pick(20, 200), 2)
                total += right
                wire.true(f"{what}: ended", one.running())
                wire.true(f"{what}: nothing was answered", right > 0)
                code = one.stop()
                wire.equal(f"{what}: exit code", 0, code)
                Fault.stopped(one)
        except NotStarted as error:
            wire.fail(f"{what}: {error}")
    daemon.be_current()
    return (f"{len(INJECTED)} kinds of failing calls, {total} of "
            f"{pick(20, 200) * len(INJECTED)} answered, no wrong answer")


def threads(daemon):
    """P10: no more threads: the start fails with a line, or serves."""
    root("another user")
    outcome = []
    for count in (1, 2, 4, 8, 12, 40):
        def before(count=count):
            resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
            os.setgroups([])
            os.setresuid(NOBODY - 7, NOBODY - 7, NOBODY - 7)
        one = Daemon(BINARY, before=before)
        try:
            with one:
                wire.true(f"{count} threads: no answer", example())
                outcome.append(f"{count} serve")
                wire.equal(f"{count}: exit code", 0, one.stop())
        except NotStarted as error:
            wire.true(f"{count}: died: {error}",
                      one.process.returncode in (1, 2))
            wire.true(f"{count}: no line says why: {error}",
                      " error " in str(error))
            outcome.append(f"{count} refused")
        except OSError:
            outcome.append(f"{count} not executed")
    daemon.be_current()
    return "threads allowed: " + ", ".join(outcome)


def hogs(count):
    """Processes that use a core each."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(count)]


def storm_in(group, count, *options):
    """storm() against a daemon in the group, which lives and then stops."""
    with another(*options, before=group.join) as one:
        right, longest = storm(count)
        wire.true("not live", Fault.live())
        wire.equal("exit code", 0, one.stop(seconds=30))
    return right, longest


def starved(daemon):
    """P12: eight processes beside it, and a fifth of a core for it."""
    group = cgroup.Group(cpu=0.2)
    burners = hogs(pick(4, 8))
    try:
        right, longest = storm_in(group, pick(100, 1000))
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
        group.close()
        daemon.be_current()
    wire.equal("right answers", pick(100, 1000), right)
    return (f"a fifth of a core beside {len(burners)} busy processes: {right} "
            f"answered, the slowest after {longest:.0f} ms")


def pressed(daemon):
    """P13: another process of the same group takes 60 % of the memory."""
    group = cgroup.Group(memory=256 * MIB)
    hog = subprocess.Popen(
        [sys.executable, "-c", f"x = bytearray({150 * MIB}); import time; "
         "[time.sleep(1) for _ in range(600)]"], preexec_fn=group.join)
    try:
        right, longest = storm_in(
            group, pick(200, 2000), "--max-inflight-bytes=16777216",
            "--max-connections=200")
        wire.equal("killed for memory", 0, group.kills())
    finally:
        hog.kill()
        hog.wait()
        group.close()
        daemon.be_current()
    wire.equal("right answers", pick(200, 2000), right)
    return (f"106 of 256 MiB left: {right} answered, the slowest after "
            f"{longest:.0f} ms, 0 killed")


NAMES = {"P6": ("no rights", unprivileged), "P9": ("failing calls", injected),
         "P10": ("no threads", threads),
         "P12": ("no processor time", starved), "P13": ("no memory", pressed)}
Fault(ROW, NAMES[ROW][0]).run(NAMES[ROW][1])
