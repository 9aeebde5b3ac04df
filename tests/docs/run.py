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
from page import Page

PORT = 8000
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))


def isolate():
    """In a fresh namespace: loopback is down, and /dev/shm the machine's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        flags = struct.pack("16sh14x", b"lo", 0x1 | 0x40)  # IFF_UP, RUNNING
        fcntl.ioctl(one, 0x8914, flags)  # SIOCSIFFLAGS
    subprocess.run(["mount", "-t", "tmpfs", "none", "/dev/shm"], check=False)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


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
    if os.path.isdir(f"{ROOT}/.deps"):  # built from a download
        shutil.copytree(f"{ROOT}/.deps", f"{folder}/.deps", symlinks=True)


def run_page(path, daemon, machine, port):
    """Returns the numbers of blocks that ran and that failed."""
    with open(path, encoding="utf-8") as file:
        todo = blocks.read(path, file.read())
    unknown = [need for block in todo for need in block.needs
               if need not in NEEDS and need not in machine.has]
    if unknown:
        raise blocks.Wrong(f"{path}: needs={unknown[0]}, but there are "
                           f"{', '.join([*NEEDS, *machine.has])}")
    compared, skipped, failed = 0, [], 0
    with tempfile.TemporaryDirectory() as folder, \
            Page(folder, daemon, python(), port) as page:
        if machine.source:
            source_tree(folder)
        for block in todo:
            if block.part:
                skipped.append(f"{block.where} is run by deploy/test.sh {block.part}")
                continue
            lacking = machine.lacks(block.needs)
            if lacking:
                skipped.append(f"{block.where} needs {lacking}")
                continue
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
    port = PORT
    if mode == "--isolated":
        isolate()
    elif not mode:
        port = free_port()
        print(f"no network namespace here: port {port} stands for {PORT}")
    machine = Machine(daemon, mode)
    ran, failed = 0, 0
    for path in paths:
        try:
            of_page = run_page(path, daemon, machine, port)
            ran, failed = ran + of_page[0], failed + of_page[1]
        except blocks.Wrong as e:
            failed += 1
            print(f"FAILED: {e}")
    print(f"{ran} checks, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
