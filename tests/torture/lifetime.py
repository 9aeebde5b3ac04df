"""The start and the end: each round has a daemon of its own."""

import socket

import kinds
import wire
from victim import CLASSES, Bad

NAMES = ["start", "drain"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(victim, failing, number, count, variant):
    """It works, or ends with exit code 1 and one line."""
    victim.control.arm(failing, number, count, variant)
    started = victim.start(free_port() if failing == "log" else 0)
    victim.control.disarm()
    if not started:
        lines = victim.text().splitlines()
        if victim.process.returncode != 1:
            raise Bad(f"exit code {victim.process.returncode}: "
                      f"{victim.text()[-3000:]}")
        if len(lines) < 1 or "cannot" not in lines[-1] and ":" not in lines[-1]:
            raise Bad(f"no clear line: {lines}")
        return "refused"
    try:
        outcome = kinds.infer(kinds.SMALL)
    except kinds.CUT as error:
        victim.alive()
        raise Bad(f"does not answer after its start: {error}") from None
    if outcome != "right":
        raise Bad("refuses after its start")
    victim.stop()
    return "right"


def drain(victim, failing, number, count, variant):
    """A request in the middle of its body is answered right or cut, and the
    process ends in time."""
    victim.control.disarm()
    if not victim.start():
        raise Bad("does not start")
    outcome = "closed"
    text = kinds.LARGE_BYTES.request(["Connection: close"])
    with wire.Wire() as w:
        w.send(text[:len(text) // 2])
        victim.control.arm(failing, number, count, variant)
        victim.process.terminate()
        w.send_if_open(text[len(text) // 2:])
        try:
            outcome = kinds.judge(w.reply("POST"), 200,
                                  kinds.right(kinds.LARGE_BYTES))
        except kinds.CUT:
            pass
    code = victim.wait(10)
    victim.control.disarm()
    if code != 0:
        raise Bad(f"exit code {code}: {victim.text()[-3000:]}")
    return outcome


def torture(victim, name, pick, report, counts, outcomes, everything):
    run = {"start": start, "drain": drain}[name]
    for failing in CLASSES[1:]:
        run(victim, failing, 0, 0, 0)
        for number in pick(victim.control.calls(failing)):
            for variant in range(6 if everything else 1):
                try:
                    outcome = run(victim, failing, number, 1,
                                  variant if everything else number)
                    outcomes[outcome] += victim.control.get("failed") > 0
                except Bad as bad:
                    if "pthread_getattr_np" in victim.text():
                        continue  # AddressSanitizer itself lacks the memory
                    found = f"{name}: call {number} of {failing}, error " \
                        f"{variant} ({victim.control.failed_call()}): {bad}"
                    victim.kill()
                    report(found)
                counts[failing, name] += victim.control.get("failed")
                if variant + 1 >= victim.control.get("variants"):
                    break
