"""The start and the end: each round has a daemon of its own."""

import kinds
import wire
from host import free_port
from victim import Bad


def start(victim, failing, number, count, variant):
    """It works, or ends with exit code 1 and one line."""
    victim.control.arm(failing, number, count, variant)
    started = victim.start(free_port() if failing == "log" else 0)
    victim.control.disarm()
    if not started:
        lines = victim.log_text().splitlines()
        if victim.process.returncode != 1:
            raise Bad(f"exit code {victim.process.returncode}: "
                      f"{victim.log_text()[-3000:]}")
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
        raise Bad(f"exit code {code}: {victim.log_text()[-3000:]}")
    return outcome


def torture(victim, name, choice, record):
    for failing in choice.classes():
        for _ in choice.passes():
            try:
                stacks = note(victim, name, failing)
            except (Bad, *kinds.CUT) as bad:
                victim.kill()
                record.fault(f"{name}, {failing}: {bad}, when nothing fails")
                break
            numbers = choice.numbers(stacks, record.failed(name, failing))
            record.know(name, failing, stacks)
            for number in numbers:
                errors_in_turn(victim, name, failing, number, choice, record)


def note(victim, name, failing):
    RUN[name](victim, failing, 0, 0, 0)
    return victim.control.stacks()


def errors_in_turn(victim, name, failing, number, choice, record):
    for variant in choice.variants(6):
        errors = 0
        try:
            outcome = RUN[name](victim, failing, number, 1, variant)
            errors = record.add(name, failing, victim.control, outcome)
        except (Bad, *kinds.CUT) as bad:
            if "pthread_getattr_np" not in victim.log_text():
                record.fault(f"{name}: call {number} of {failing}, error "
                             f"{variant} ({victim.control.failed_call()}): {bad}")
            # else AddressSanitizer itself lacks the memory
            victim.kill()
        if variant + 1 >= errors:
            break


RUN = {"start": start, "drain": drain}
NAMES = list(RUN)
