"""What clients saw, as the rows of a table."""

COLUMNS = ("what happened", "requests a second", "answered", "failed",
           "p50 / p99 / slowest ms", "repeated by HAProxy", "compared / wrong",
           "1 MiB / lost")


def lost(seen):
    """Requests of the load without a 200: answered otherwise or broken off, answered
    503, or without an answer 15 s after the end."""
    return seen["failed"] + seen["unanswered"] + seen["refused_all"]


def kinds_of_loss(seen):
    kinds = {"failed": "broken off", "refused_all": "503", "unanswered": "unanswered"}
    parts = [f"{seen[key]:.0f} {name}" for key, name in kinds.items() if seen[key]]
    return ", ".join(parts) or "0"


def unsent(seen):
    """Due when all connections of the load were busy, or the client had no processor:
    none on an idle machine, but for the last millisecond's."""
    late = seen["unsent"] > 0.001 * seen["answered"]
    return f" ({seen['unsent']:.0f} more not sent)" if late else ""


def cells(what, rate, seen, compared, repeated):
    small, large = compared["small"], compared["large"]
    return (what, f"{rate:.0f}", f"{seen['answered']:.0f}{unsent(seen)}",
            kinds_of_loss(seen),
            " / ".join(f"{seen[key]:.1f}" for key in ("good_p50", "good_p99", "good_max")),
            str(repeated), f"{small['right']} / {len(small['wrong'])}",
            f"{large['right']} / {len(large['wrong'])}")


def write(path, rows):
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join("| " + " | ".join(line) + " |\n" for line in lines))
