"""Writes the C source that holds the pages and the contract as the daemon sends them
(api/routes/routes.h). The parts, styles and scripts that a page names are put into
it, so it is one file, and its policy allows these by their digests and nothing else.
TABLES is what print_tables prints, VECTORS the folder tests/vectors: operators.py
makes the models' parts of them.

Usage: embed.py FOLDER VERSION SOURCE TABLES VECTORS
       such as api/routes 0.2.0 page_text.c tables.json tests/vectors
"""

import base64
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

import contract
import docs
import operators

POLICY = ("default-src 'none'; connect-src 'self'; img-src data:; style-src {style}; "
          "script-src {script}; require-trusted-types-for 'script'; "
          "trusted-types 'none'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'")
HTML = "text/html; charset=utf-8"


def squeeze(text):
    """Without comments and indents: no string in styles and scripts spans lines."""
    return re.sub(r"\n\s+", "\n", re.sub(r"\n */\*.*?\*/", "", text, flags=re.S))


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page(folder, name, parts, made):
    """The page and its policy; `made` has the texts of files that are not in the folder."""
    def files(match):
        text = "\n" + "".join(made[file] if file in made else (folder / file).read_text()
                              for file in match[2].split())
        text = squeeze(text)
        if match[1] == "script":
            text = f'\n"use strict";\n(() => {{{text}}})();\n'
        digests[match[1]] = digest(text)
        return f"<{match[1]}>{text}</{match[1]}>"

    digests = {"style": "'none'", "script": "'none'"}
    text = (folder / name).read_text()
    for part, inner in parts.items():
        text = text.replace(f"<!-- {part} -->\n", inner)
    text = re.sub(r"<(style|script)>/\* (.*?) \*/</\1>", files, text)
    return text.encode(), POLICY.format(**digests)


def c_bytes(data):
    numbers = [str(byte) for byte in data]
    return ",\n".join(",".join(numbers[i:i + 32]) for i in range(0, len(numbers), 32))


def c_file(name, data):
    packed = gzip.compress(data, 9, mtime=0)
    return (f"static const unsigned char {name}_plain[] = {{\n{c_bytes(data)}}};\n"
            f"static const unsigned char {name}_bytes[] = {{\n{c_bytes(packed)}}};\n"
            f"static const struct api_piece {name}_gzip = {{{name}_bytes, "
            f"sizeof({name}_bytes)}};\n")


def c_reply(name, content_type, policy):
    return (f"    [API_ROUTE_{name.upper()}] = {{.status = 200, .piece_count = 1,\n"
            f"        .pieces = {{{{{name}_plain, sizeof({name}_plain)}}}},\n"
            f"        .gzip = &{name}_gzip,\n"
            f"        .content_type = {json.dumps(content_type)},\n"
            f"        .policy = {json.dumps(policy) if policy else 'NULL'}}},\n")


def main(folder, version, source, tables_file, vectors):
    folder = Path(folder)
    tables = operators.Tables(tables_file, vectors)
    text = operators.expand((folder / "openapi.yaml").read_text(), tables)
    document = contract.read(text)
    parts = {name: (folder / "page" / f"{name}.html").read_text()
             for name in ("head", "bar", "foot", "restricted")}
    parts |= docs.parts(document) | {"operators": operators.cards(tables)}
    made = {"operators.js": operators.script(tables)}
    bar = parts["bar"].replace("FLIPD_VERSION", version)
    files = {}
    for name in ("page", "docs", "status"):
        here = f'    <a href="{"./" if name == "page" else name}"'
        parts["bar"] = bar.replace(here, f'{here} aria-current="page"')
        data, policy = page(folder / "page", f"{name}.html", parts, made)
        files[name] = data, HTML, policy
    files["contract"] = text.encode(), "application/yaml", None
    files["contract_json"] = (json.dumps(document, separators=(",", ":")).encode(),
                              "application/json", None)
    with open(source, "w") as out:
        out.write('#include "api/routes/routes.h"\n\n')
        for name, (data, *_) in files.items():
            out.write(c_file(name, data))
        out.write("const struct api_reply page_replies[] = {\n")
        for name, (_, *rest) in files.items():
            out.write(c_reply(name, *rest))
        out.write("};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
