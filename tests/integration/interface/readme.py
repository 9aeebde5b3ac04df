"""Runs the README's requests against a daemon: each block of sh that calls curl
and each block of python must print the block that follows it.

Usage: readme.py ADDRESS PID README"""
import re
import subprocess
import sys

address, _, path = sys.argv[1:]
text = open(path, encoding="utf-8").read()
blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
ran = 0
for (kind, code), (_, shown) in zip(blocks, blocks[1:]):
    if kind == "python":
        command = [sys.executable, "-c", code]
    elif kind == "sh" and code.startswith("curl "):
        command = ["bash", "-c", code]
    else:
        continue
    command[2] = command[2].replace("127.0.0.1:8000", address)
    got = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if got.stdout.strip() != shown.strip():
        sys.exit(f"    the README shows\n{shown}\n    but this came:\n"
                 f"{got.stdout}{got.stderr}")
    ran += 1
if ran < 3:
    sys.exit(f"    only {ran} blocks of the README were run")
