"""Which calls fail, and how."""

import collections
import random

from victim import CLASSES

PASSES = 3  # a call may have another number in the round in which it is to fail


class Choice:
    def __init__(self, options):
        self.options = options
        self.all = options.all or options.stacks > 0
        self.chance = random.Random(options.seed)

    def classes(self):
        return [self.options.failing] if self.options.failing else CLASSES[1:]

    def passes(self):
        return range(PASSES if self.options.stacks else 1)

    def numbers(self, stacks, failed):
        """The numbers of the calls to fail, in their order, of as many as there
        are `stacks`. Those in `failed` have failed in an earlier pass."""
        if self.options.all:
            return range(1, len(stacks) + 1)
        calls = collections.defaultdict(list)
        for number, stack in enumerate(stacks, 1):
            calls[stack].append(number)
        if not self.options.stacks:
            few = min(self.options.sample, len(calls))
            return sorted(self.chance.choice(same) for same in
                          self.chance.sample(list(calls.values()), few))
        return sorted(number for stack, same in calls.items()
                      if stack not in failed for number in self.some(same))

    def some(self, same):
        """Of calls with the same stack: the first, the last and some between."""
        ends, between = {same[0], same[-1]}, same[1:-1]
        few = min(max(self.options.stacks - 2, 0), len(between))
        return [*ends, *self.chance.sample(between, few)][:self.options.stacks]

    def counts(self):
        """How many calls fail, one after the other."""
        return (1, 4) if self.all else (self.chance.choice((1, 1, 4)),)

    def variants(self, most=12):
        """Numbers of errors, of which a call has fewer."""
        return range(most) if self.all else (self.chance.randrange(most),)
