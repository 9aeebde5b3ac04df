"""The faults that are known: which cases show them, and where they are filed.

An issue is a repository and a number on GitHub. A fault without one was not found
there in November 2026, by searches for the operator and for the error's text.
"""

from cases import WRONG

REPOSITORIES = {
    "iree": "iree-org/iree",
    "onnxruntime": "microsoft/onnxruntime",
    "openvino": "openvinotoolkit/openvino",
    "tensorflow": "tensorflow/tensorflow",
    "tvm": "apache/tvm",
}
# What the issues say whose models are cases.
ISSUES = {
    "onnxruntime 28490": "a length of 0 makes zeros",
    "openvino 20872": "the same, seen beside OpenVINO",
    "onnxruntime 24920": "a length above the axis is refused, where CUDA answers: rightly",
    "iree 20011": "time first is wrong",
    "iree 24229": "time first is wrong",
    "tensorflow 110038": "axes of scalars and empty tensors are not checked",
    "tvm 20124": "the operator is missing",
}


def link(issue):
    repository, number = issue.split()
    return f"[{issue}](https://github.com/{REPOSITORIES[repository]}/issues/{number})"


def is_wrong(what):
    return lambda case, verdict: case["class"].startswith(WRONG + what)


def is_of(*kinds):
    return lambda case, verdict: case["expect"] is not None and case["datatype"] in kinds


def is_issue(issue):
    return lambda case, verdict: case.get("issue") == issue


def is_time_first(case, verdict):
    return case["expect"] is not None and case["attributes"].get("time_axis", 0) == 0


# Engine, verdicts, fault, where it is filed, which cases. The first that fits is taken.
WRONG_OR_CRASHED = ("silently wrong", "crashed")
RULES = [
    ("onnxruntime_cpu:1.24.1", WRONG_OR_CRASHED, "a sequence of length 0 becomes zeros",
     f"{link('onnxruntime 28490')}, mended by {link('onnxruntime 28759')}, once by "
     f"{link('onnxruntime 24320')}; {link('openvino 20872')}",
     lambda case, verdict: 0 in case["control"]["values"]),
    ("onnxruntime", WRONG_OR_CRASHED, "a negative axis is taken", "-",
     is_wrong("an axis out of range")),
    ("openvino", ("crashed",), "the process ends in Reverse", "-",
     lambda case, verdict: True),
    ("openvino", WRONG_OR_CRASHED, "64-bit integers lose their high bits",
     f"{link('openvino 35890')}, for other operators", is_of("INT64", "UINT64")),
    ("openvino", WRONG_OR_CRASHED, "FP64 goes through FP32",
     f"{link('openvino 35822')}, for Reshape", is_of("FP64")),
    ("openvino", WRONG_OR_CRASHED, "32-bit integers go through FP32", "-",
     is_of("INT32", "UINT32")),
    ("openvino", WRONG_OR_CRASHED, "FP8 goes through another type", "-",
     is_of("FP8_E4M3", "FP8_E5M2")),
    ("openvino", WRONG_OR_CRASHED, "4-bit elements are mixed up", "-",
     is_of("INT4", "UINT4", "FP4_E2M1", "NF4")),
    ("openvino", WRONG_OR_CRASHED, "signalling NaNs become quiet", "-", is_of("FP16")),
    ("tensorflow", WRONG_OR_CRASHED, "axes of a scalar or an empty tensor are not checked",
     link("tensorflow 110038"), is_issue("tensorflow 110038")),
    ("torch", WRONG_OR_CRASHED, "signalling NaNs change", "-", is_of("FP16", "BF16")),
    ("iree", WRONG_OR_CRASHED, "time first gives elements of other places",
     f"{link('iree 24229')}, {link('iree 20011')}", is_time_first),
    ("iree", ("refused",), "time first does not compile: a type conversion is left", "-",
     is_time_first),
    ("tvm", ("refused",), "ONNX's operator is missing", link("tvm 20124"),
     lambda case, verdict: True),
]  # fmt: skip


def fault(engine, case, verdict):
    """What the fault is, and where it is filed: the class where none is known, and
    None for a refusal that has no rule."""
    for of_engine, verdicts, what, issue, applies in RULES:
        if engine.startswith(of_engine) and verdict in verdicts and applies(case, verdict):
            return what, issue
    return None if verdict == "refused" else (case["class"].removeprefix(WRONG), "-")
