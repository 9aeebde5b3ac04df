#!/usr/bin/env python3
"""Measures a built flipd beside programs that do less; called by run.sh.

Usage: bench.py --build DIR --out DIR [--quick] [--only SECTION,...]
"""

import sys

import in_process
import machine
import over_http
import program
import servers
import sweep


def sections(bench, figures, head):
    jansson = {}

    def json_path():
        jansson.update(in_process.json_path(bench, figures))

    def million():
        if not jansson:
            json_path()
        over_http.million(bench, figures, jansson)

    return {
        "movers": lambda: in_process.movers(bench, figures),
        "json": json_path,
        "small": lambda: over_http.small(bench, figures),
        "large": lambda: over_http.large(bench, figures),
        "million": million,
        "fairness": lambda: over_http.fairness(bench, figures),
        "linear": lambda: over_http.linear(bench, figures),
        "memory": lambda: over_http.memory(bench, figures),
        "picture": lambda: sweep.picture(bench, figures, head),
    }


def versions(args, figures):
    root = program.ROOT
    libraries = ", ".join(
        f"{name} {machine.library(root, name)}"
        for name in ("libmicrohttpd", "libuv", "jansson", "simdjson"))
    return [f"{libraries}, nginx "
            f"{machine.program(servers.nginx_program(root))}, "
            f"wrk {machine.package('wrk')}"]


PROGRAM = program.Program(
    script="tests/bench/run.sh", stem="bench", sections=sections,
    names=("movers", "json", "small", "large", "million", "fairness", "linear",
           "memory", "picture"),
    head=versions,
    how="server on core 0, client on core 1")

if __name__ == "__main__":
    sys.exit(program.main(PROGRAM))
