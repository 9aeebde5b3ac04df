"""Triton's perf_analyzer: a sweep with the server's own breakdown, blocking
and asynchronous calls, both forms of tensors, a data file, regions of shared
memory; or the same over gRPC, and streams.

Usage: perf_analyzer.py PROGRAM ADDRESS FOLDER [ADDRESS-OF-GRPC]
"""

import csv
import itertools
import json
import subprocess
import sys
import urllib.request

from check import equal, finish, ok

program, address, folder = sys.argv[1:4]
grpc = sys.argv[4] if len(sys.argv) > 4 else None
numbers = itertools.count()
LARGE = ["--shape", "input:64,64,8", "--shape", "sequence_lens:64",
         "--input-data", "zero"]
# The stability of the rate depends on the machine: accept any.
WINDOWS = ["--measurement-mode", "count_windows", "-s", "999", "-r", "10",
           "--measurement-request-count", "100"]
SERVER = ["Server Queue", "Server Compute Input", "Server Compute Infer",
          "Server Compute Output"]
STAGES = ["queue", "compute_input", "compute_infer", "compute_output"]


def statistics(model):
    with urllib.request.urlopen(
            f"http://{address}/v2/models/{model}/stats") as reply:
        return json.load(reply)["model_stats"][0]["inference_stats"]


def analyze(what, model, *options, levels=(2,)):
    """One run; its table has a row for each concurrency."""
    table = f"{folder}/table{next(numbers)}.csv"
    before = statistics(model)
    done = subprocess.run(
        [program, "-m", model, "-u", grpc or address,
         "-i", "grpc" if grpc else "http", "-f", table, "--verbose-csv",
         "--concurrency-range", f"{levels[0]}:{levels[-1]}",
         *WINDOWS, *options], text=True, timeout=200,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ok(what, done.returncode == 0, done.stdout[-800:])
    if done.returncode != 0:
        return
    after = statistics(model)
    count = after["success"]["count"] - before["success"]["count"]
    ok(f"{what}: requests", count >= 100 * len(levels), count)
    equal(f"{what}: failures", before["fail"], after["fail"])
    for stage in STAGES:
        ok(f"{what}: {stage}", after[stage]["ns"] > before[stage]["ns"])
        equal(f"{what}: {stage}", after["success"]["count"],
              after[stage]["count"])
    with open(table, newline="") as file:
        rows = [row for row in csv.DictReader(file)
                if (row.get("Concurrency") or "").isdigit()]
    equal(f"{what}: rows", [str(n) for n in levels],
          sorted((row["Concurrency"] for row in rows), key=int))
    for row in rows:
        ok(f"{what}: rate", float(row["Inferences/Second"]) > 0, row)
        for column in SERVER:
            ok(f"{what}: {column}", (row.get(column) or "").isdigit(), row)


def write_data(shape):
    """A request for a built-in model, whose metadata leaves shapes open."""
    path = f"{folder}/data{next(numbers)}.json"
    with open(path, "w") as file:
        json.dump({"data": [{
            "input": {"content": [i + 0.5 for i in range(shape[0] * shape[1])],
                      "shape": shape},
            "sequence_lens": {"content": [i % 2 for i in range(shape[1])],
                              "shape": [shape[1]]}}]}, file)
    return ["--input-data", path]


def builtin(what, *options, shape=(4, 3)):
    analyze(what, "onnx.ReverseSequence", *write_data(shape), *options)


analyze("a sweep", "flip", *LARGE, levels=range(1, 17))
analyze("asynchronous", "flip", *LARGE, "--async", levels=range(4, 5))
analyze("a fixed shape", "mirror", "--input-data", "zero",
        "--shape", "axis:1")
builtin("a data file")
builtin("a data file, asynchronous", "--async")
if grpc:
    # Streams are asynchronous.
    builtin("a stream", "--streaming", "--async")
    analyze("streams", "flip", *LARGE, "--streaming", "--async",
            levels=range(1, 5))
    builtin("compressed", "--grpc-compression-algorithm", "gzip")
else:
    # It sends only the first elements of a JSON tensor, so this has one.
    builtin("JSON in", "--input-tensor-format", "json", shape=(1, 1))
    builtin("JSON out", "--output-tensor-format", "json")
analyze("shared memory", "flip", *LARGE, "--shared-memory", "system",
        "--output-shared-memory-size", "131072", levels=range(1, 5))
builtin("shared memory and a data file", "--shared-memory", "system")
finish()
