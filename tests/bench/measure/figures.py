"""Figures: a measurement, the compared program, the goal. Printed as one table
and written as CSV. A ratio above 1 means that flipd is faster."""

import csv
import math
import statistics


def median(values):
    return statistics.median(values)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def short(number):
    """Three significant digits, without an exponent."""
    if number is None or number != number:
        return "-"
    if number == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(number)))
    return f"{number:,.{max(0, min(digits, 4))}f}"


class Figures:
    COLUMNS = ("section", "case", "flipd", "unit", "beside", "theirs", "ratio",
               "goal", "note")

    def __init__(self):
        self.rows = []
        self.missing = []
        self.failed = False

    def add(self, section, case, flipd=None, unit="", beside="", theirs=None,
            ratio=None, goal="", note=""):
        self.rows.append(dict(
            section=section, case=case, flipd=flipd, unit=unit, beside=beside,
            theirs=theirs, ratio=ratio, goal=goal, note=note))

    def miss(self, what, why, failed=True):
        """Reports a missing measurement. It is no failure if the rival lacks
        the feature."""
        self.missing.append((what, why))
        self.failed |= failed

    def _cells(self):
        yield [c for c in self.COLUMNS if c != "section"]
        section = None
        for row in self.rows:
            if row["section"] != section:
                section = row["section"]
                yield [f"**{section}**"] + [""] * 7
            yield [
                row["case"], short(row["flipd"]), row["unit"], row["beside"],
                short(row["theirs"]), short(row["ratio"]), str(row["goal"]),
                row["note"]]

    def table(self):
        """Markdown with aligned columns."""
        cells = list(self._cells())
        widths = [max(len(line[i]) for line in cells) for i in range(8)]
        lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths)) +
                 " |" for line in cells]
        lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
        for what, why in self.missing:
            lines.append(f"\nNot measured: {what}: {why}")
        return "\n".join(lines)

    def write(self, stem, head):
        """Writes STEM.md and STEM.csv."""
        with open(f"{stem}.md", "w") as out:
            out.write("\n".join(f"- {line}" for line in head))
            out.write(f"\n\n{self.table()}\n")
        with open(f"{stem}.csv", "w", newline="") as out:
            for line in head:
                out.write(f"# {line}\n")
            sheet = csv.DictWriter(out, self.COLUMNS)
            sheet.writeheader()
            sheet.writerows(self.rows)
            for what, why in self.missing:
                out.write(f"# not measured: {what}: {why}\n")
