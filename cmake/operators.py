"""What follows from the tables of operators and datatypes, which the program
print_tables prints, and from the vectors: the parts of the contract and of the page
(embed.py), and the tables of pages and of the chart that are kept in the tree.

Usage: operators.py TABLES ROOT [--update]    such as build/release/tables.json .
"""

import json
import re
import sys
from html import escape
from pathlib import Path

# Of each schema in the contract, behind the attributes.
PROTOCOL = """\
            timeout: {$ref: '#/components/schemas/Microseconds'}
            binary_data_output: {type: [boolean, 'null']}
            priority: {}
"""
TYPES = {"integer": "{$ref: '#/components/schemas/Axis'}",
         "number": "{$ref: '#/components/schemas/Coefficient'}",
         "boolean": "{type: [boolean, 'null'], default: true}",
         "string": "{type: [string, 'null']}"}


class Tables:
    def __init__(self, tables, vectors):
        read = json.loads(Path(tables).read_text())
        self.operators, self.datatypes = read["operators"], read["datatypes"]
        self.examples = {op["name"]: [] for op in self.operators}
        for path in sorted(Path(vectors).glob("*.json")):
            for line in json.loads(path.read_text()):
                if "label" in line and line["op"] in self.examples:
                    self.examples[line["op"]].append(line)
        for name, examples in self.examples.items():
            if not examples:
                raise SystemExit(f"{vectors}: no vector of {name} has a label")

    def names(self):
        return [op["name"] for op in self.operators]

    def datatype_names(self, is_opaque):
        """Those that are only moved, or the others."""
        return [one["name"] for one in self.datatypes if (one["kind"] == "opaque") == is_opaque]


def has_context(op):
    return any(a["role"] == "context" for a in op["attributes"])


def control(op):
    return f"`{op['control']}` of {op['takes']}"


def default_of(attribute):
    """As JSON spells it. A text has none: that of an operator is required, the others
    may be absent."""
    if attribute["kind"] == "string":
        return "required" if attribute["role"] == "plain" else None
    if attribute["kind"] == "boolean":
        return "true" if attribute["fallback"] else "false"
    return f"{attribute['fallback']:g}"


def defaults(op, quote="`"):
    return [f"{quote}{a['name']}{quote}" + (f" {default_of(a)}" if default_of(a) else "")
            for a in op["attributes"]]


def wrap(text, width, indent):
    """Lines of whole words; a NUL is a space at which no line ends."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "".join(f"{' ' * indent}{line}\n" for line in lines).replace("\0", " ")


def description(op):
    lens = control(op) + (", unless there is a `backward_context`" if has_context(op) else "")
    aliases = ["`" + a["alias"].replace(" ", "\0") + "`" for a in op["attributes"] if a["alias"]]
    return (f"{op['summary']}. Inputs: `{op['data']}`{' of floats' if op['scales'] else ''}, {lens}. "
            f"Attributes, with their defaults: {', '.join(one.replace(' ', chr(0)) for one in defaults(op)) or 'none'}."
            + (f" Also spelled {', '.join(aliases)}." if aliases else ""))


def schema(op):
    rows = ""
    for one in op["attributes"]:
        kind = ("{$ref: '#/components/schemas/OutputName'}" if one["role"] == "output name"
                else TYPES[one["kind"]])
        rows += f"            {one['name']}: {kind}\n"
    return (f"    {op['name']}:\n      description: |\n{wrap(description(op), 72, 8)}"
            "      type: object\n      required: [inputs]\n      properties:\n"
            "        id: {$ref: '#/components/schemas/Id'}\n"
            "        parameters:\n          type: [object, 'null']\n          properties:\n"
            f"{rows}{PROTOCOL}          patternProperties: {{'^sequence_': {{}}}}\n"
            "          additionalProperties: true\n"
            "        inputs:\n          type: array\n"
            f"          minItems: {1 if has_context(op) else 2}\n          maxItems: 2\n"
            "          items: {$ref: '#/components/schemas/Input'}\n"
            "        outputs: {$ref: '#/components/schemas/Outputs'}\n")


def flow(value):
    """A value in YAML's flow style, of words and numbers."""
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z_]\w*", value) else json.dumps(value)


def example(op, case):
    text = f"    {op['name']}:\n      value:\n"
    if case["parameters"]:
        text += ("        parameters: {" + ", ".join(f"{key}: {flow(value)}" for key, value
                                                   in case["parameters"].items()) + "}\n")
    text += "        inputs:\n"
    inputs = [(op["data"], case["datatype"], case["shape"], case["data"]),
              (op["control"], case["control_datatype"], [len(case["control"])], case["control"])]
    for name, datatype, shape, data in inputs:
        text += (f"          - name: {name}\n            datatype: {datatype}\n"
                 f"            shape: {flow(shape)}\n            data: {flow(data)}\n")
    return text


def plain(cases):
    """The first example that names its control input itself."""
    return next(case for case in cases if "forward" not in case)


def contract_parts(tables):
    names = tables.names()
    pattern = "|".join(name.replace(".", r"\.") for name in names)
    return {
        "names": f"      pattern: '^({pattern}|[A-Za-z0-9_.-]{{1,128}})$'\n      examples:\n"
                 + "".join(f"          - {name}\n" for name in names),
        "requests": "".join(f"        - {{$ref: '#/components/schemas/{name}'}}\n" for name in names),
        "schemas": "".join(schema(op) for op in tables.operators),
        "links": "".join(f"            {name}: {{$ref: '#/components/examples/{name}'}}\n"
                         for name in names),
        "examples": "".join(example(op, plain(tables.examples[op["name"]]))
                            for op in tables.operators),
        "datatypes": "      description: |\n"
                     + wrap(f"In binary form only: {', '.join(tables.datatype_names(True))}.", 72, 8)
                     + "      type: string\n      enum: [\n"
                     + wrap(", ".join(tables.datatype_names(False) + tables.datatype_names(True)),
                            72, 8).rstrip() + "]\n",
    }


def expand(text, tables):
    """The contract, with the lines `# tables: PART` replaced."""
    parts = contract_parts(tables)
    text = re.sub(r"^ *# tables: (\w+)\n", lambda match: parts.pop(match[1]), text, flags=re.M)
    if parts:
        raise SystemExit(f"openapi.yaml has no line `# tables: {next(iter(parts))}`")
    return text


def cards(tables):
    """Of the page, for browsers without scripts."""
    return "".join(f"    <article><h3>{op['name']}</h3><p>{escape(op['summary'], quote=False)}. "
                   f"Inputs: {op['data']}, {op['control']}. Attributes: {', '.join(defaults(op, '')) or 'none'}.</p></article>\n"
                   for op in tables.operators)


def form_example(case):
    kept = {key: case[key] for key in ("label", "shape", "datatype", "forward") if key in case}
    if case["data"] != list(range(len(case["data"]))) or case["datatype"] == "BYTES":
        kept["data"] = case["data"]
    if "forward" not in case:
        kept |= {"control": case["control"], "control_datatype": case["control_datatype"]}
    if case["parameters"]:
        kept["parameters"] = case["parameters"]
    return kept


def script(tables):
    """The constants of the page's form."""
    examples = {name: [form_example(case) for case in cases]
                for name, cases in tables.examples.items()}
    # The bits of the non-negative values of narrow integers.
    bits = {one["name"]: one["bits"] - (one["kind"] == "int") for one in tables.datatypes
            if one["kind"] in ("int", "uint") and one["bits"] <= 8}
    return (f"const examples = {json.dumps(examples, ensure_ascii=False)};\n"
            f"const BITS = {json.dumps(bits)};\n")


def readme_rows(tables):
    return "".join(
        f"| `{op['name']}` | {op['summary']} |\n" for op in tables.operators) + (
            f"\n{len(tables.datatypes)} datatypes of ONNX and OpenVINO are served, NaN payloads included.\n")


def operators_rows(tables):
    text = ("| model | version | inputs | output | request `parameters` and defaults |\n"
            "| --- | --- | --- | --- | --- |\n")
    for op in tables.operators:
        data = f"`{op['data']}`{' of floats' if op['scales'] else ''}"
        text += (f"| `{op['name']}` | {op['version']} | {data}, {control(op)} | `{op['output']}` "
                 f"| {', '.join(defaults(op))} |\n")
    return text


def datatypes_text(tables):
    return wrap("Every datatype moves bit for bit, NaN payloads included: "
                f"{', '.join(tables.datatype_names(False))}, and, in binary form only, "
                f"{', '.join(tables.datatype_names(True))}.", 88, 0)


def put(old, rows, begin, end):
    """The text with `rows` between the marks; None where a mark is missing."""
    if begin not in old or end not in old.split(begin, 1)[1]:
        return None
    before, rest = old.split(begin, 1)
    return before + begin + rows + end + rest.split(end, 1)[1]


def kept_texts(tables):
    """(file, rows, mark before, mark behind) of each text in the tree."""
    mark = "<!-- {}: written from the tables by the target `operators` -->\n"
    end = "<!-- end of {} -->\n"
    names = ", ".join(f'"{name}"' for name in tables.names())
    return [
        ("README.md", readme_rows(tables), "| model | operation |\n| --- | --- |\n",
         "[Operators](docs/operators.md)"),
        ("docs/operators.md", operators_rows(tables), mark.format("operators"), end.format("operators")),
        ("docs/operators.md", datatypes_text(tables),
         mark.format("datatypes"), end.format("datatypes")),
        ("deploy/kubernetes/chart/values.schema.json", names, '"op": {"enum": [', "]}"),
    ]


def main(tables_file, root, *words):
    update = words == ("--update",)
    if words and not update:
        raise SystemExit(__doc__)
    root = Path(root)
    tables = Tables(tables_file, root / "tests/vectors")
    faults = []
    for name, rows, begin, end in kept_texts(tables):
        old = (root / name).read_text()
        new = put(old, rows, begin, end)
        if new is None:
            faults.append(f"{name}: {begin.strip()} or {end.strip()} is missing")
        elif new != old and update:
            (root / name).write_text(new)
            print(f"{name} is written")
        elif new != old:
            held = old.split(begin, 1)[1].split(end, 1)[0].split("\n")
            missing = next((row for row in rows.split("\n") if row not in held), "")
            faults.append(f"{name} is stale: cmake --build --preset release --target operators; "
                          f"it lacks {missing}" if missing else f"{name} has more than the tables")
    for fault in faults:
        print(fault)
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
