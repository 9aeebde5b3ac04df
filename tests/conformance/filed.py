"""The faults that are known: which cases show them, and where they are filed.

An issue is a repository and a number on GitHub. A fault without one was not found
there in November 2026, by searches for the operator and for the error's text.
"""

from cases import WRONG

ORT = "[onnxruntime {0}](https://github.com/microsoft/onnxruntime/issues/{0})".format
OPENVINO = "[openvino {0}](https://github.com/openvinotoolkit/openvino/issues/{0})".format


def is_wrong(what):
    return lambda case, verdict: case["class"].startswith(WRONG + what)


def is_of(*kinds):
    return lambda case, verdict: case["expect"] is not None and case["datatype"] in kinds


# Engine, fault, where it is filed, which cases. The first that fits is taken.
RULES = [
    ("onnxruntime_cpu:1.24.1", "a sequence of length 0 becomes zeros",
     f"{ORT(28490)}, mended by {ORT(28759)}, once by {ORT(24320)}; {OPENVINO(20872)}",
     lambda case, verdict: 0 in case["control"]["values"]),
    ("onnxruntime", "a negative axis is taken", "-", is_wrong("an axis out of range")),
    ("openvino", "the process ends in Reverse", "-",
     lambda case, verdict: verdict == "crashed"),
    ("openvino", "64-bit integers lose their high bits",
     f"{OPENVINO(35890)}, for other operators", is_of("INT64", "UINT64")),
    ("openvino", "numbers go through FP32", "-", is_of("FP64", "INT32", "UINT32")),
    ("openvino", "FP8 goes through another type", "-", is_of("FP8_E4M3", "FP8_E5M2")),
    ("openvino", "4-bit elements are mixed up", "-",
     is_of("INT4", "UINT4", "FP4_E2M1", "NF4")),
    ("openvino", "signalling NaNs become quiet", "-", is_of("FP16")),
    ("torch", "signalling NaNs change", "-", is_of("FP16", "BF16")),
]  # fmt: skip


def fault(engine, case, verdict):
    """What the fault is, and where it is filed; the class where none is known."""
    for of_engine, what, issue, applies in RULES:
        if engine.startswith(of_engine) and applies(case, verdict):
            return what, issue
    return case["class"].removeprefix(WRONG), "-"
