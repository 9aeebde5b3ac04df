"""Runs the snippets of pages: see run.sh.

Usage: run.py [--source | --container | --isolated] DAEMON PAGE..."""
import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

import blocks
import compare
from machine import NEEDS, Machine, python
from page import PORT, Page, ports
from standing import Standing

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.append(f"{ROOT}/tests/integration/lib")
from host import free_ports  # noqa: E402


def isolate():
    """In a fresh namespace: loopback is down, and /dev/shm the machine's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        flags = struct.pack("16sh14x", b"lo", 0x1 | 0x40)  # IFF_UP, RUNNING
        fcntl.ioctl(one, 0x8914, flags)  # SIOCSIFFLAGS
    subprocess.run(["mount", "-t", "tmpfs", "none", "/dev/shm"], check=False)


def source_tree(folder):
    """A fresh clone has the files that git knows, as they are here. Without git,
    all but what a build makes."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"],
                           capture_output=True, check=False).stdout.split(b"\0")
    if names == [b""]:
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, symlinks=True,
                        ignore=shutil.ignore_patterns(".git", "build", ".deps"))
    for name in filter(None, map(os.fsdecode, names)):
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        shutil.copy2(f"{ROOT}/{name}", f"{folder}/{name}")
    # Built from a download; there already where the whole page has a source tree.
    if os.path.isdir(f"{ROOT}/.deps") and not os.path.isdir(f"{folder}/.deps"):
        shutil.copytree(f"{ROOT}/.deps", f"{folder}/.deps", symlinks=True)


def why_skipped(block, machine, standing):
    """None where the block is run."""
    if block.part:
        return f"is run by tests/deploy/run.sh {block.part}"
    lacking = machine.lacks(block.needs)
    if lacking:
        return f"needs {lacking}"
    below = standing.below(block)
    return below and f"stands on {below}"


def run_page(path, daemon, machine, elsewhere):
    """Returns the numbers of blocks that ran and that failed. `elsewhere`: free ports
    take the place of the page's."""
    with open(path, encoding="utf-8") as file:
        todo = blocks.read(path, file.read())
    unknown = [need for block in todo for need in block.needs
               if need not in NEEDS and need not in machine.has]
    if unknown:
        raise blocks.Wrong(f"{path}: needs={unknown[0]}, but there are "
                           f"{', '.join([*NEEDS, *machine.has])}")
    # The kernel gives none of these to a connection, so they are free too when the
    # page's next daemon starts.
    names = ports(todo) if elsewhere else ()
    taken = dict(zip(names, free_ports(len(names)))) or {PORT: PORT}
    compared, skipped, failed, standing = 0, [], 0, Standing()
    with tempfile.TemporaryDirectory() as folder, \
            Page(folder, daemon, python(), taken) as page:
        if machine.source:
            source_tree(folder)
        for block in todo:
            reason = why_skipped(block, machine, standing)
            if reason:
                skipped.append(f"{block.where} {reason}")
                standing.skipped(block, reason)
                continue
            standing.ran(block)
            if block.clone:
                source_tree(folder)
            why, out = page.run(block)
            if why is None and block.shown is not None:
                compared += 1
                shown = page.translate(block.shown)
                if not compare.same(shown, block.shown_as, out):
                    why = (f"the page shows\n{shown}\nbut this came:\n{out}")
            if why:
                failed += 1
                print(f"FAILED: {block.where}: {why}\n{page.said()}")
                break  # what follows builds on it
        why = page.close()
        if why:
            failed += 1
            print(f"FAILED: {path}: {why}\n{page.said()}")
    print(f"{path}: {len(todo)} snippets, {compared} outputs compared, "
          f"{failed} failed", *(f"  SKIPPED: {one}" for one in skipped),
          sep="\n", flush=True)
    return len(todo) - len(skipped), failed


def main():
    args = sys.argv[1:]
    mode = args.pop(0) if args[0].startswith("--") else ""
    daemon, *paths = os.path.abspath(args[0]), *args[1:]
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    if mode == "--isolated":
        isolate()
    elif not mode:
        print("no network namespace here: free ports stand for those of the pages")
    machine = Machine(mode)
    ran, failed = 0, 0
    for path in paths:
        try:
            of_page = run_page(path, daemon, machine, not mode)
            ran, failed = ran + of_page[0], failed + of_page[1]
        except blocks.Wrong as e:
            failed += 1
            print(f"FAILED: {e}")
    print(f"{ran} checks, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
