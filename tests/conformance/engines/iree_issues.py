"""IREE, asked the models of public issues alone: for its older versions."""

from engine import Foreign
from engines import iree_cpu
from engines.iree_cpu import version

__all__ = ["answer", "version"]


def answer(case):
    if "issue" not in case:
        raise Foreign
    return iree_cpu.answer(case)
