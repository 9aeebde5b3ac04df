"""The command line `mlserver infer`: requests from a file, one by one and merged
into batches.

Usage: mlserver_infer.py MLSERVER ADDRESS FOLDER
"""

import json
import subprocess
import sys

import numpy as np

from check import equal, finish, ok, reverse_sequence, same

mlserver, address, folder = sys.argv[1:]
OPENVINO = "openvino.ReverseSequence"
KINDS = {"FP32": np.float32, "INT64": np.int64, "UINT8": np.uint8,
         "FP64": np.float64}
rng = np.random.default_rng(7)


def question(number, datatype, rows):
    """A request of `rows` sequences of 5 x 2, with its answer."""
    x = rng.integers(0, 200, (rows, 5, 2)).astype(KINDS[datatype])
    lens = rng.integers(0, 6, rows)
    line = {"id": f"q{number}", "inputs": [
        {"name": "data", "datatype": datatype, "shape": list(x.shape),
         "data": x.ravel().tolist()},
        {"name": "seq_lengths", "datatype": "INT64", "shape": [rows],
         "data": lens.tolist()}]}
    return line, reverse_sequence(x, lens, 1, 0)


def run(lines, *options, model=OPENVINO):
    """The answers' lines, in the order of the questions."""
    with open(f"{folder}/questions", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(
        [mlserver, "infer", "-u", address, "-m", model, "-i",
         f"{folder}/questions", "-o", f"{folder}/answers", "-r", "1",
         *options], capture_output=True, text=True, timeout=120)
    equal(f"exit code with {options}: {done.stderr[-500:]}", 0,
          done.returncode)
    with open(f"{folder}/answers", encoding="utf-8") as file:
        answers = [json.loads(line) for line in file]
    return sorted(answers, key=lambda a: a["parameters"]["batch_index"])


def every_form():
    forms = ((), ("-s", "4"), ("-b",), ("-b", "-s", "3"), ("-s", "100"),
             ("-s", "5", "-w", "3"))
    for datatype in KINDS:
        # A start of the program takes seconds: the rarer types in two forms.
        for options in forms if datatype == "FP32" else forms[2:5]:
            asked = [question(i, datatype, 1 + i % 3) for i in range(11)]
            answers = run([line for line, _ in asked], *options)
            equal(f"{options}: answers", 11, len(answers))
            for answer, (line, want) in zip(answers, asked):
                what = f"{datatype} {options} {line['id']}"
                output = answer["outputs"][0]
                equal(what, (line["id"], "output", datatype),
                      (answer["id"], output["name"], output["datatype"]))
                same(what, want, np.array(
                    output["data"],
                    KINDS[datatype]).reshape(output["shape"]))


def wrong():
    line, want = question(0, "FP32", 2)
    bad = json.loads(json.dumps(line))
    bad["id"] = "bad"
    bad["inputs"][1]["data"] = [6, 1]
    answers = run([line, bad, line])
    equal("three lines", 3, len(answers))
    ok("the daemon's message",
       "seq_lengths[0] is 6" in answers[1]["error"]["msg"], answers[1])
    for at in (0, 2):
        same("the others are answered", want, np.array(
            answers[at]["outputs"][0]["data"], np.float32).reshape(want.shape))
    answers = run([line], model="none")
    ok("no model", answers[0]["error"]["msg"].startswith(
        "Request for unknown model: 'none' "), answers[0])


def outputs():
    """What is asked for by name comes in JSON or bytes, as -b says."""
    line, want = question(0, "FP32", 2)
    line["outputs"] = [{"name": "output"}]
    for options in ((), ("-b",), ("-H", "X-Trace: 1")):
        answer = run([line], *options)[0]
        same(f"outputs with {options}", want, np.array(
            answer["outputs"][0]["data"], np.float32).reshape(want.shape))


every_form()
wrong()
outputs()
finish()
