#!/usr/bin/env python3
"""Runs the proofs of proofs.py by CBMC, as many at once as there are processors.

Usage: tests/proofs/run.py [--fast] [--table FILE] [NAME...]; see run.sh
A proof fails by a property that does not hold, by none of its own, by a warning (CBMC
goes on with any value where it does not understand), by an end that is not reached, and
by a function that it is there for and does not run. Without NAME and --fast, each line of
the sources must be run by some proof of each set that has it."""

import argparse
import concurrent.futures
import dataclasses
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROOFS = ROOT / "tests/proofs"
CBMC = ROOT / ".deps/proofs"
# Any function of the type may then be called: more is proven, not less.
HARMLESS = "only worst case function pointer removal will be done"
LIMIT = 1800  # seconds, only against a proof that hangs

import proofs  # noqa: E402


@dataclasses.dataclass
class Run:
    """A proof with one set, and how it went."""
    proof: proofs.Proof
    set: str
    seconds: float = 0  # of the processor, as others run meanwhile
    properties: int = 0
    faults: list = dataclasses.field(default_factory=list)
    # {(file, function): {line: True if it was run}}
    lines: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self):
        return f"{self.proof.name} [{self.set}]" if self.set else self.proof.name

    @property
    def bound(self):
        return " ".join(f"{key}={value}" for key, value in self.proof.defines.items())


def cbmc():
    """Debian 13's, started by the loader that it brings: this system may be older."""
    loader, = glob.glob(f"{CBMC}/lib*/ld-linux-*.so.*")
    libraries = glob.glob(f"{CBMC}/usr/lib/*-linux-gnu") + [f"{CBMC}/usr/lib"]
    return [loader, "--library-path", ":".join(libraries), f"{CBMC}/usr/bin/cbmc"]


def command(run, coverage):
    proof = run.proof
    defines = dict(proof.defines)
    if run.set:
        defines["TABLE"] = f'"kernels/simd/table_{run.set}.c"'
    return ["timeout", str(LIMIT), *cbmc(), "--c17", "--json-ui", "--slice-formula",
            "--object-bits", "12", "--unwind", str(proof.unwind),
            "--symex-coverage-report", coverage, "-I", "tests/proofs/models", "-I", ".",
            *(f"-D{key}={value}" for key, value in defines.items()),
            *proof.options, f"tests/proofs/{proof.file}"]


def is_ours(found):
    return found["description"] == "reached" or (
        ".assertion." in found["property"] and
        found.get("sourceLocation", {}).get("file", "").startswith("tests/proofs/"))


def judge(run, messages):
    """Finds what is wrong in CBMC's own words."""
    results, verdict = [], None
    for message in messages:
        results += message.get("result", ())
        verdict = message.get("cProverStatus", verdict)
        if message.get("messageType") in ("WARNING", "ERROR") and \
                HARMLESS not in message["messageText"]:
            run.faults.append(message["messageText"].split("\n")[0])
    run.properties = len(results)
    reached = [found for found in results if found["description"] == "reached"]
    others = [found for found in results if found["description"] != "reached"]
    if verdict is None:
        run.faults.append("CBMC gave no verdict")
    if not any(is_ours(found) for found in others):
        run.faults.append("it checks nothing")
    if not reached or any(found["status"] != "FAILURE" for found in reached):
        run.faults.append("its end is not reached")
    for found in others:
        if found["status"] != "SUCCESS":
            at = found.get("sourceLocation", {})
            run.faults.append(f"{at.get('file')}:{at.get('line')}: {found['status']} of "
                              f"{found['description']}")


def read_lines(path):
    """{(file, function): {line: True if it was run}} of a coverage report."""
    lines = {}
    for source in xml.etree.ElementTree.parse(path).iter("class"):
        for function in source.iter("method"):
            file = os.path.normpath(source.get("filename"))
            name = function.get("name").partition("$")[0]  # two files have one of it
            at = lines.setdefault((file, name), {})
            for line in function.iter("line"):
                number = int(line.get("number"))
                at[number] = at.get(number, False) or line.get("hits") != "0"
    return lines


def check_functions(run):
    ran = {function for (_, function), lines in run.lines.items() if any(lines.values())}
    for name in run.proof.functions:
        if name not in ran:
            run.faults.append(f"it does not run {name}()")


def prove(run):
    with tempfile.TemporaryDirectory() as scratch:
        coverage, said, errors = (f"{scratch}/{name}" for name in ("lines", "said", "errors"))
        with open(said, "wb") as out, open(errors, "wb") as err:
            child = subprocess.Popen(command(run, coverage), cwd=ROOT, stdout=out, stderr=err)
            usage = os.wait4(child.pid, 0)[2]
        run.seconds = usage.ru_utime + usage.ru_stime
        run.faults += pathlib.Path(errors).read_text().splitlines()[:3]
        try:
            judge(run, json.loads(pathlib.Path(said).read_text()))
            run.lines = read_lines(coverage)
            check_functions(run)
        except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
            run.faults.append(f"{type(error).__name__}: {error}")
    return run


def show(run):
    print(f"{'FAILED' if run.faults else 'ok':6} {run.seconds:6.1f} s "
          f"{run.properties:6} properties  {run.name}", flush=True)
    for fault in run.faults[:8]:
        print(f"       {fault}")


def unproven(runs, room):
    """The lines that no proof has run, for each set."""
    wanted = {os.path.relpath(path, ROOT) for pattern in room.SOURCES
              for path in glob.glob(f"{ROOT}/{pattern}")}
    seen = {}  # {(set, file, function): {line: run}}
    for run in runs:
        for (file, function), lines in run.lines.items():
            if file in wanted:
                at = seen.setdefault((run.set, file, function), {})
                if any(lines.values()):  # with other options, others are its lines
                    for line, ran in lines.items():
                        at[line] = at.get(line, False) or ran
    for file in sorted(wanted - {file for _, file, _ in seen}):
        if file.endswith(".c"):
            yield f"{file}: no proof reads it"
    for (isa, file, function), lines in sorted(seen.items()):
        missed = sorted(line for line, ran in lines.items() if not ran)
        if (missed or not lines) and (isa, function) not in getattr(room, "DEAD", ()):
            lacks = f"line {', '.join(map(str, missed))}" if missed else "it"
            yield f"{file}: {function}() of {isa or 'all sets'}: no proof runs {lacks}"


def by_function(runs):
    """{(file, function): the runs that ran it}, of kernels/."""
    found = {}
    for run in runs:
        for at, lines in run.lines.items():
            if at[0].startswith("kernels/") and any(lines.values()):
                found.setdefault(at, []).append(run)
    return found


def write_table(path, runs):
    out = ["# Table of proofs", "",
           "Written by `tests/proofs/run.sh --table`; [soundness](soundness.md) says what is proven.",
           "", "## By function", "",
           "The proofs that run it, and the sum of their properties and seconds.", "",
           "| file | function | instruction sets | proofs | properties | seconds |",
           "| --- | --- | --- | ---: | ---: | ---: |"]
    for (file, function), ran in sorted(by_function(runs).items()):
        sets = " ".join(isa for isa in proofs.TABLES if any(run.set == isa for run in ran))
        out.append(f"| {file} | `{function}` | {sets or 'any'} | {len(ran)} "
                   f"| {sum(run.properties for run in ran)} "
                   f"| {sum(run.seconds for run in ran):.0f} |")
    out += ["", "## By proof", "",
            "| proof | there for | instruction set | bound | properties | seconds |",
            "| --- | --- | --- | --- | ---: | ---: |"]
    for run in runs:
        functions = " ".join(f"`{name}`" for name in run.proof.functions)
        out.append(f"| {run.proof.name} | {functions} | {run.set or 'any'} | {run.bound} "
                   f"| {run.properties} | {run.seconds:.1f} |")
    pathlib.Path(path).write_text("\n".join(out) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    rooms = proofs.all_rooms()
    runs = [Run(proof, isa) for room in rooms for proof in room.PROOFS
            for isa in proof.sets or ("",) if proof.fast or not asked.fast]
    runs = [run for run in runs
            if not asked.names or any(name in run.name for name in asked.names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in concurrent.futures.as_completed(pool.submit(prove, run) for run in runs):
            show(done.result())
    gaps = []
    if not asked.fast and not asked.names:
        for room in rooms: # each by its own proofs
            gaps += unproven([run for run in runs if run.proof in room.PROOFS], room)
        print("\n".join(gaps))
    if asked.table:
        write_table(asked.table, runs)
    failed = sum(bool(run.faults) for run in runs)
    print(f"{len(runs) - failed} passed, {failed + len(gaps)} failed")
    return 0 if runs and not failed and not gaps else 1


if __name__ == "__main__":
    sys.exit(main())
