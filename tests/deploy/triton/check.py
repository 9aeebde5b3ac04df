"""Triton with flipd's backend beside the daemon: the same requests to both, over HTTP.

Usage: check.py repository FOLDER TABLES          writes the models that the others ask for
       check.py vectors|hostile TRITON FLIPD      addresses, such as 127.0.0.1:8000
       check.py parts|shared|figures|refused|ensemble TRITON
Prints what differs; then the exit code is 1."""

import glob
import http.client
import json
import os
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path += [f"{ROOT}/cmake", f"{ROOT}/tests/conformance", f"{ROOT}/deploy/python/flipd"]
import datatypes  # noqa: E402
import triton  # noqa: E402

CARRIED = ["BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64",
           "FP16", "BF16", "FP32", "FP64", "BYTES"]
wrong = 0


def fail(what, *more):
    global wrong
    wrong += 1
    print(f"FAILED {what}:", *(str(one)[:400] for one in more))


def equal(what, expected, got):
    if expected != got:
        fail(what, f"expected {expected!r:.300}, got {got!r:.300}")


class Server:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address, timeout=60)

    def call(self, method, path, body=None, headers=None):
        """Status, headers and body."""
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def infer(self, model, tensors, parameters=None, outputs=None):
        """Tensors of (name, datatype, shape, bytes), or of a dict of parameters in place of the
        bytes. The document of the answer, or the text of the refusal, and the bytes behind it."""
        document = {"parameters": {"binary_data_output": True, **(parameters or {})}, "inputs": [
            {"name": name, "datatype": datatype, "shape": shape,
             "parameters": {"binary_data_size": len(data)} if isinstance(data, bytes) else data}
            for name, datatype, shape, data in tensors]}
        if outputs:
            document["outputs"] = outputs
        head = json.dumps(document).encode()
        status, headers, body = self.call(
            "POST", f"/v2/models/{model}/infer",
            head + b"".join(one[3] for one in tensors if isinstance(one[3], bytes)),
            {"Inference-Header-Content-Length": str(len(head))})
        if status != 200:
            return json.loads(body)["error"], None
        end = int(headers.get("Inference-Header-Content-Length", len(body)))
        return json.loads(body[:end]), body[end:]


def encode(datatype, values):
    if datatype == "BYTES":
        return datatypes.pack(datatype, [str(one).encode() for one in values])
    if datatype == "BOOL":
        values = [int(one) & 1 for one in values]
    return datatypes.encode(datatype, values)


class Case:
    """A published case, as a request."""

    def __init__(self, line, names, datatype=None):
        self.op, self.datatype = line["op"], datatype or line["datatype"]
        self.expects_answer = None if datatype else (
            line["expect_hex" if "data_hex" in line else "expect"] is not None)
        self.name = f"{line['id']}, {self.datatype}"
        self.control = line["control_datatype"]
        shape, control_shape = line["shape"], line.get("control_shape", [len(line["control"])])
        self.ranks = len(shape), len(control_shape)
        self.carried = ({self.datatype, self.control} <= set(CARRIED) and min(self.ranks) > 0)
        # Triton of this version takes no numbers with a fraction here; texts of them will do.
        self.parameters = {key: str(value) if isinstance(value, float) else value
                           for key, value in line["parameters"].items()}
        self.output = self.parameters.get("specified_outputs_name", names["output"])
        if not self.carried:
            return
        data = bytes.fromhex(line["data_hex"]) if "data_hex" in line else encode(
            self.datatype, line["data"])
        self.tensors = [(names["data"], self.datatype, shape, data),
                        (names["control"], self.control, control_shape,
                         encode(self.control, line["control"]))]

    @property
    def model(self):
        return "-".join(map(str, (self.op, self.datatype, self.ranks[0], self.control,
                                  self.ranks[1], self.output)))


def cases():
    lines = [line for path in sorted(glob.glob(f"{ROOT}/tests/vectors/*.json"))
             for line in json.load(open(path, encoding="utf-8"))]
    names = {line["model"]: line for line in lines if "model" in line}
    for line in lines:
        if "model" in line:
            continue
        yield Case(line, names[line["op"]])
        if "everywhere" in line:
            yield from (Case(line, names[line["op"]], one) for one in CARRIED)


# Configurations that Triton must refuse to load, and the sentence.
REFUSED = {
    "no-operator": ({"op": "onnx.Flip"},
                    "the parameter op is 'onnx.Flip', but it must be an operator"),
    "no-integer": ({"batch_axis": "first"}, "batch_axis is 'first', but it must be an integer"),
    "no-boolean": ({"training": "yes"}, "training is 'yes', but it must be a boolean"),
    "one-axis": ({"batch_axis": "1", "time_axis": "1"}, "batch_axis"),
    "no-attribute": ({"axis": "1"}, "axis is no attribute of graiphic.ReverseSequence"),
}


def repository(folder, tables):
    operators = {op["name"]: op for op in triton.operators(tables)}
    for case in cases():
        if case.carried:
            op = operators[case.op] | {"output": case.output}
            triton.write(folder, case.model, triton.config(
                op, case.datatype, case.ranks[0], case.control, case.ranks[1]))
    graiphic = operators["graiphic.ReverseSequence"]
    for name, (fixed, _) in REFUSED.items():
        op = graiphic | {"name": fixed.get("op", graiphic["name"])}
        triton.write(folder, name, triton.config(op, fixed={
            key: value for key, value in fixed.items() if key != "op"}))
    triton.write(folder, "fixed", triton.config(
        graiphic, "INT32", 2, fixed={"batch_axis": "0", "time_axis": "1", "training": "false"}))
    batched = triton.config(operators["onnx.ReverseSequence"], "INT32", 1,
                            fixed={"batch_axis": "0", "time_axis": "1"})
    triton.write(folder, "batched", batched.replace("max_batch_size: 0", "max_batch_size: 4"))
    triton.write(folder, "renamed", triton.config(graiphic | {"control": "lens"}))


def both(what, ours, theirs, case, model=None, tensors=None, parameters=None):
    """Asks both; the result is Triton's document, or None where both refuse by one sentence."""
    tensors = tensors or case.tensors
    parameters = case.parameters if parameters is None else parameters
    expected, data = theirs.infer(case.op, tensors, parameters)
    got, moved = ours.infer(model or case.model, tensors, parameters)
    if data is None:
        # The order of the inputs is Triton's.
        if moved is not None or expected.replace(case.op, model or case.model) not in got:
            fail(what, f"flipd refuses: {expected}", f"Triton: {got}")
        return None
    if moved is None:
        fail(what, f"Triton refuses: {got}")
        return None
    equal(what, data, moved)
    for key in "name", "datatype", "shape":
        equal(f"{what}, {key}", expected["outputs"][0][key], got["outputs"][0][key])
    for key in "name", "backward_context":
        equal(f"{what}, {key}", expected.get("parameters", {}).get(key),
              got.get("parameters", {}).get(key))
    return got


def vectors(ours, theirs):
    moved = refused = 0
    beyond = []
    for case in cases():
        if not case.carried:
            beyond.append(case.name)
            continue
        got = both(case.name, ours, theirs, case)
        if case.expects_answer not in (None, got is not None):
            fail(case.name, "it is not what the vector expects")
        moved += got is not None
        refused += got is None
    print(f"seen    {moved} cases moved, {refused} refused by the daemon's sentence; "
          f"{len(beyond)} have datatypes or ranks that Triton does not carry")
    gradient_by_context(ours)
    got, data = ours.infer("batched", [("input", "INT32", [2, 3], encode("INT32", range(6))),
                                       ("sequence_lens", "INT64", [2, 1], encode("INT64", [3, 2]))])
    equal(f"Triton's batch: {str(got)[:300]}", encode("INT32", [2, 1, 0, 4, 3, 5]), data)


def gradient_by_context(ours):
    """The forward pass gives the lengths and axes of the backward pass."""
    x = encode("FP32", range(12))
    model = "-FP32-2-INT64-1-"
    forward, y = ours.infer(f"graiphic.ReverseSequence{model}Y", [
        ("input", "FP32", [4, 3], x), ("sequence_lens", "INT64", [3], encode("INT64", [4, 0, 2]))])
    _, back = ours.infer(f"graiphic.ReverseSequenceGrad{model}dX", [("dY", "FP32", [4, 3], y)],
                         {"backward_context": forward["parameters"]["backward_context"]})
    equal("the gradient of a context", x, back)


# Parameters that the daemon takes or refuses: so does the backend.
PARAMETERS = (
    {"batch_axis": 2}, {"batch_axis": -3}, {"time_axis": 1 << 62}, {"batch_axis": 0},
    {"batch_axis": "one"}, {"batch_axis": True}, {"axis": 0}, {"time_axes": 1}, {"timeAxis": 1},
    {"params": "time_axis=1"}, {"mine": "kept"}, {"batch_axis": "1", "time_axis": "0"},
    {"lda_coeff": 2}, {f"key{i}": i for i in range(31)}, {f"key{i}": i for i in range(100)})


def hostile(ours, theirs):
    """What the daemon refuses, Triton does too, and goes on."""
    case = next(one for one in cases() if one.name == "page-onnx-1, FP32")
    x, lens = case.tensors

    def with_lens(values):
        return [x, (lens[0], "INT64", [len(values)], encode("INT64", values))]

    for what, tensors in {
            "a length past the axis": with_lens([4, 3, 2, 5]),
            "a negative length": with_lens([4, 3, 2, -1]),
            "a length of -2^63": with_lens([4, 3, 2, -1 << 63]),
            "too few lengths": with_lens([4, 3, 2]),
            "too many lengths": with_lens([0] * (1 << 16)),
            "no elements": [(*x[:2], [0, 4], b""), lens],
            "no columns": [(*x[:2], [4, 0], b""), with_lens([])[1]]}.items():
        both(what, ours, theirs, case, tensors=tensors)
    for parameters in PARAMETERS:
        both(f"parameters {parameters}", ours, theirs, case, parameters=parameters)
    for what, tensors in {
            "without lengths": [x], "without data": [lens], "a name twice": [x, x],
            "negative dims": [(*x[:2], [-2, -2], bytes(16)), lens],
            "dims that overflow": [(*x[:2], [1 << 62, 4], bytes(64)), lens],
            "too few bytes": [(*x[:3], bytes(60)), lens],
            "too many bytes": [(*x[:3], bytes(68)), lens]}.items():
        equal(what, None, ours.infer(case.model, tensors)[1])
    wrong_strings(ours)
    wrong_for_the_model(ours)
    both("after all of it", ours, theirs, case)


def wrong_strings(ours):
    case = next(one for one in cases() if one.name == "page-onnx-5, BYTES")
    x, lens = case.tensors
    for what, data in {"a string past the end": b"\xff\xff\xff\xff" + x[3][4:],
                       "half a length": x[3][:-len("!") - 2],
                       "an element too many": x[3] + bytes(4), "nothing": b""}.items():
        equal(f"BYTES: {what}", None, ours.infer(case.model, [(*x[:3], data), lens])[1])


def wrong_for_the_model(ours):
    """An input that the operator does not have, and attributes that the configuration fixes."""
    got, data = ours.infer("renamed", [("input", "FP32", [2, 1, 1], bytes(8)),
                                       ("lens", "INT64", [1], bytes(8))])
    if data is not None or ("but graiphic.ReverseSequence takes 'input' and 'sequence_lens'"
                            not in got):
        fail("an input with another name", got)
    fixed = [("input", "INT32", [2, 3], encode("INT32", range(6))),
             ("sequence_lens", "INT64", [2], encode("INT64", [3, 2]))]
    got, data = ours.infer("fixed", fixed)
    equal("fixed attributes", encode("INT32", [2, 1, 0, 4, 3, 5]), data)
    equal("training is off", None, got.get("parameters", {}).get("backward_context"))
    got, data = ours.infer("fixed", fixed, {"time_axis": 1})
    equal("a fixed attribute", "time_axis is fixed by the model fixed: leave it out", got)


def parts(ours):
    """Triton has a large body in many parts, which the backend puts together."""
    for rows in (300, 5_000, 100_000):
        x = os.urandom(rows * 160)
        got, data = ours.infer("onnx.ReverseSequence-FP32-2-INT64-1-Y", [
            ("input", "FP32", [rows, 40], x),
            ("sequence_lens", "INT64", [40], encode("INT64", [rows] * 39 + [0]))])
        expected = b"".join(x[at:at + 156] + x[len(x) - at - 4:len(x) - at]
                            for at in range(len(x) - 160, -1, -160))
        equal(f"{len(x)} bytes", expected, data)
    texts = [os.urandom(index % 200) for index in range(40_000)]
    got, data = ours.infer("onnx.ReverseSequence-BYTES-2-INT64-1-Y", [
        ("input", "BYTES", [40_000, 1], datatypes.pack("BYTES", texts)),
        ("sequence_lens", "INT64", [1], encode("INT64", [40_000]))])
    equal("many strings", datatypes.pack("BYTES", texts[::-1]), data)


def shared(ours):
    """Shared memory of the client: apart, in place, and overlapping."""
    key, size = f"flipd-triton-{os.getpid()}", 64
    path = f"/dev/shm/{key}"
    x = bytes(range(size))
    lens = ("sequence_lens", "INT64", [4], encode("INT64", [4, 3, 2, 0]))
    model = "onnx.ReverseSequence-FP32-2-INT64-1-Y"
    expected = ours.infer(model, [("input", "FP32", [4, 4], x), lens])[1]
    with open(path, "w+b", buffering=0) as file:
        try:
            file.truncate(4096)
            ours.call("POST", "/v2/systemsharedmemory/region/tests/register", json.dumps(
                {"key": f"/{key}", "offset": 0, "byte_size": 4096}))
            for offset in (1024, 0, 8, 63):
                file.seek(0)
                file.write(x)

                def place(at):
                    return {"shared_memory_region": "tests", "shared_memory_offset": at,
                            "shared_memory_byte_size": size}

                got, _ = ours.infer(model, [("input", "FP32", [4, 4], place(0)), lens],
                                    outputs=[{"name": "Y", "parameters": place(offset)}])
                file.seek(offset)
                equal(f"the output at {offset}: {str(got)[:200]}", expected, file.read(size))
        finally:
            ours.call("POST", "/v2/systemsharedmemory/region/tests/unregister")
            os.remove(path)


def figures(ours):
    """Triton's own figures count the backend's requests."""
    model = "onnx.ReverseSequence-FP32-2-INT64-1-Y"

    def counts():
        one = json.loads(ours.call("GET", f"/v2/models/{model}/stats")[2])["model_stats"][0]
        stats = one["inference_stats"]
        return (stats["success"]["count"], stats["fail"]["count"], one["execution_count"],
                stats["compute_infer"]["count"])

    before = counts()
    tensors = [("input", "FP32", [2, 1], bytes(8)), ("sequence_lens", "INT64", [1], bytes(8))]
    for _ in range(3):
        ours.infer(model, tensors)
    ours.infer(model, tensors, {"batch_axis": 9})
    end = time.monotonic() + 10
    while counts()[0] < before[0] + 3 and time.monotonic() < end:
        time.sleep(0.05)
    equal("successes, failures, executions, their times", (3, 1, 4, 3),
          tuple(new - old for old, new in zip(before, counts())))


def refused(ours):
    """Triton says why a model was not loaded."""
    index = json.loads(ours.call("POST", "/v2/repository/index", "{}")[2])
    for name, (_, sentence) in REFUSED.items():
        reasons = [one.get("reason", "") for one in index if one["name"] == name]
        if not any(sentence in one for one in reasons):
            fail(name, f"expected {sentence}", reasons)
    loaded = [one["name"] for one in index if one.get("state") != "READY"]
    equal("models that are not loaded", sorted(REFUSED), sorted(set(loaded)))


def ensemble(ours):
    """Both ensembles of docs/examples/triton give the same, and so do both steps."""
    for rows, width in ((1, 2), (10, 51), (640, 62)):
        lens = [2 + index * 7 % (width - 1) for index in range(rows)]
        hyps = [[4232] + [row * 31 + at * 7 & 4095 for at in range(size - 2)] +
                [4232] * (width - size + 1) for row, size in enumerate(lens)]
        data = encode("INT64", sum(hyps, []))
        sizes = encode("INT64", lens)

        def ask(model, first, second):
            got, data_ = ours.infer(model, [(first, "INT64", [rows, width], data),
                                            (second, "INT64", [rows], sizes)])
            if data_ is None:
                fail(model, got)
            return data_

        equal(f"the steps, [{rows}, {width}]", ask("reverse_hyps_python", "input", "sequence_lens"),
              ask("reverse_hyps", "input", "sequence_lens"))
        scores = ask("rescoring", "hyps", "hyps_lens")
        equal(f"the ensembles, [{rows}, {width}]",
              ask("rescoring_python", "hyps", "hyps_lens"), scores)
        equal("the scores' bytes", 4 * rows, len(scores or b""))


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what != "repository":
        arguments = map(Server, arguments)
    globals()[what](*arguments)
    sys.exit(wrong > 0)
