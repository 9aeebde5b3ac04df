"""What has failed, and what came of it."""

import collections
import time


class Record:
    def __init__(self, seed):
        self.seed = seed
        self.began = time.monotonic()
        self.calls = collections.Counter()  # by (kind, class)
        self.outcomes = collections.Counter()
        self.known_stacks = collections.defaultdict(set)
        self.failed_stacks = collections.defaultdict(set)
        self.faults = 0

    def know(self, kind, failing, stacks):
        self.known_stacks[kind, failing].update(stacks)

    def failed(self, kind, failing, in_any_kind=False):
        """The stacks that have failed."""
        return set().union(*(
            stacks for key, stacks in self.failed_stacks.items()
            if key == (kind, failing) or in_any_kind and key[1] == failing))

    def add(self, kind, failing, control, outcome):
        """Returns how many errors the call of this round has, 0 if none
        failed."""
        failed = control.get("failed")
        if not failed:
            return 0
        self.calls[kind, failing] += failed
        self.outcomes[outcome] += 1
        self.failed_stacks[kind, failing].add(control.failed_stack())
        return control.get("variants")

    def fault(self, text):
        self.faults += 1
        print("FAILED:", text, flush=True)

    def show(self):
        for title, at in (("class", 1), ("kind", 0)):
            print(f"calls that failed, of so many stacks, by {title}:")
            for key, calls, failed, known in self.sums(at):
                print(f"  {calls:7}, {failed:5} of {known:5}: {key}")
        rounds = ", ".join(f"{n} {o}" for o, n in sorted(self.outcomes.items()))
        print(f"seed {self.seed}: {self.calls.total()} calls failed in "
              f"{self.outcomes.total()} rounds: {rounds}; {self.faults} faults, "
              f"{time.monotonic() - self.began:.0f} s")

    def sums(self, at):
        """Of each kind, or class: calls and stacks that failed, stacks known."""
        sums = collections.defaultdict(lambda: [0, 0, 0])
        for key, known in self.known_stacks.items():
            row = sums[key[at]]
            row[0] += self.calls[key]
            row[1] += len(known & self.failed(*key))
            row[2] += len(known)
        return sorted(((key, *row) for key, row in sums.items()),
                      key=lambda row: -row[1])
