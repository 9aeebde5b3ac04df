"""Writes the C source that holds the operator table (kernels/ops/op.h) from the
definitions in kernels/ops/*.c, lines such as `const struct op op_NAME = {`.

Usage: op_table.py SOURCE FILE...    such as op_table.c kernels/ops/*.c
"""

import re
import sys
from pathlib import Path

DEFINITION = re.compile(r'^const struct op (op_\w+) = \{\n    \.name = "([^"]+)"', re.M)
# The list of models begins as it always has; further operators follow by name.
FIRST = ["onnx.ReverseSequence", "openvino.ReverseSequence", "openvino.Reverse"]


def place(found):
    _, name = found
    return (FIRST.index(name) if name in FIRST else len(FIRST)), name


def main(source, *files):
    text = "".join(Path(file).read_text() for file in files)
    found = sorted(DEFINITION.findall(text), key=place)
    declared = text.count("\nconst struct op op_")
    if declared != len(found):
        raise SystemExit(f"{declared} lines `const struct op op_NAME = {{`, but the next line is "
                         f"`    .name = \"...\",` at {len(found)}: {found}")
    externs = "".join(f"extern const struct op {identifier};\n" for identifier, _ in found)
    rows = "".join(f"    &{identifier},\n" for identifier, _ in found)
    Path(source).write_text('#include "kernels/ops/op.h"\n\n' + externs +
                            f"\nconst struct op *const op_table[] = {{\n{rows}    NULL,\n}};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
