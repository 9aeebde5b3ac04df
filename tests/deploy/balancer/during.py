"""Runs a command while clients ask the balancer; none of their requests may be lost.

Usage: during.py small|all WHAT COMMAND...
  small  only requests that a balancer can repeat when a replica is killed
  WHAT   what the command does, for the line with the figures"""

import subprocess

from loads import ARGUMENTS, BALANCER, Load, under_load, wire

KIND, WHAT, *COMMAND = ARGUMENTS


def command():
    wire.equal(f"exit code of {COMMAND[0]}", 0, subprocess.run(COMMAND, timeout=240).returncode)


loads = [Load(BALANCER, 8, 4096, 0.001)]
if KIND == "all":
    loads.append(Load(BALANCER, 2, 1 << 20, 0.05))
under_load(loads, command, WHAT)
wire.finish()
