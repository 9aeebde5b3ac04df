"""Writes a model repository for the Triton backend of deploy/triton: a model for each
operator of the table that the program print_tables prints.

Usage: triton.py TABLES MODELS    such as build/release/tables.json build/release/triton/models
"""

import json
import sys
from pathlib import Path

CONFIG = """\
# {summary}.
# Triton fixes datatypes and ranks: in a copy with another name they are what its tensors have.
backend: "flip"
max_batch_size: 0
input [
  {{ name: "{data}" data_type: {data_type} dims: {dims} }},
  {{ name: "{control}" data_type: {control_type} dims: {control_dims}{optional} }}
]
output [ {{ name: "{output}" data_type: {data_type} dims: {dims} }} ]
instance_group [ {{ kind: KIND_CPU }} ]
parameters {{ key: "op" value: {{ string_value: "{name}" }} }}
"""
FIXED = 'parameters {{ key: "{}" value: {{ string_value: "{}" }} }}\n'
FREE = "# A request's parameters may set these; without the # they are fixed.\n"


def type_of(datatype):
    return "TYPE_" + ("STRING" if datatype == "BYTES" else datatype)


def config(op, datatype="FP32", rank=3, control="INT64", control_rank=1, fixed=None):
    """The text of config.pbtxt for an operator of the table and tensors of these datatypes and
    ranks; `fixed` are attributes with their texts."""
    fixed = fixed or {}
    has_context = any(one["role"] == "context" for one in op["attributes"])
    free = [one for one in op["attributes"]
            if one["role"] in ("plain", "coefficient", "training") and one["name"] not in fixed]
    return CONFIG.format(
        **op | {"control": op["control"], "data_type": type_of(datatype), "dims": [-1] * rank,
                "control_type": type_of(control), "control_dims": [-1] * control_rank,
                "optional": " optional: true" if has_context else ""}
    ) + "".join(FIXED.format(*one) for one in fixed.items()) + (FREE if free else "") + "".join(
        "# " + FIXED.format(one["name"], default_of(one)) for one in free)


def default_of(attribute):
    """The text of it; a text has none."""
    if attribute["kind"] == "boolean":
        return "true" if attribute["fallback"] else "false"
    return "..." if attribute["kind"] == "string" else f"{attribute['fallback']:g}"


def write(models, name, text):
    """Version 1 of a model, which has no files."""
    folder = Path(models) / name
    (folder / "1").mkdir(parents=True, exist_ok=True)
    (folder / "config.pbtxt").write_text(text)


def operators(tables):
    return json.loads(Path(tables).read_text())["operators"]


def main(tables, models):
    for op in operators(tables):
        write(models, op["name"], config(op))


if __name__ == "__main__":
    main(*sys.argv[1:])
