"""Writes the C source of api/grpc/tables.h: the messages of the .proto files as tables
for the conversion from and to JSON, and their descriptors for reflection.

Usage: grpc_tables.py FOLDER SOURCE    such as api/grpc/proto grpc_tables.c
"""

import sys
from pathlib import Path

import proto
from embed import c_bytes

KINDS = {proto.SCALARS[name]: kind for name, kind in {
    "int64": "INT", "uint64": "UINT", "int32": "INT", "bool": "BOOL",
    "string": "TEXT", "bytes": "BYTES", "uint32": "UINT"}.items()}


OTHERS = {".grpc.health.v1.HealthCheckRequest", ".grpc.health.v1.HealthListRequest",
          ".grpc.reflection.v1.ServerReflectionRequest", ".grpc.reflection.v1.ExtensionRequest"}


def identifier(name):
    name = name.rpartition(".")[2] if name in OTHERS else name.removeprefix(".inference.")
    return "grpc_" + name.replace(".", "_")


def field_row(field, messages, enums):
    if field.type in enums:
        kind, link = "ENUM", f"NULL, {identifier(field.type)}"
    elif field.type in messages:
        entry = messages[field.type].is_entry
        kind, link = "MAP" if entry else "MESSAGE", f"&{identifier(field.type)}, NULL"
    else:
        kind, link = KINDS[field.type], "NULL, NULL"
    repeated = "true" if field.repeated else "false"
    return f'    {{"{field.name}", {field.number}, GRPC_{kind}, {repeated}, {link}}},\n'


def tables(messages, enums):
    own = {name: message for name, message in messages.items()
           if name in OTHERS or name.startswith(".inference.") and not needs_float(message)
           and not any(part.startswith(("ModelInfer", "ModelStreamInfer", "InferTensor",
                                        "InferParameter")) for part in name.split("."))}
    out = [f"const struct grpc_message {identifier(name)};\n" for name in own]
    for name, enum in enums.items():
        if name.startswith(".inference."):
            rows = "".join(f'    {{"{key}", {value}}},\n' for key, value in enum.values)
            out.append(f"static const struct grpc_enum {identifier(name)}[] = {{\n{rows}"
                       "    {NULL, 0}};\n")
    for name, message in own.items():
        fields = "".join(field_row(field, messages, enums) for field in message.fields)
        rows = identifier(name) + "_fields"
        if fields:
            out.append(f"static const struct grpc_field {rows}[] = {{\n{fields}}};\n")
        out.append(f"const struct grpc_message {identifier(name)} = "
                   f"{{{rows if fields else 'NULL'}, {len(message.fields)}}};\n")
    return out


def needs_float(message):
    return any(field.type == proto.SCALARS["float"] for field in message.fields)


def descriptors(files, enums):
    out, rows = [], []
    names = [file.name for file in files]
    for at, file in enumerate(files):
        data = proto.describe(file, enums)
        out.append(f"static const unsigned char file_{at}[] = {{\n{c_bytes(data)}}};\n")
        uses = names.index(file.imports[0]) if file.imports else -1
        rows.append(f'    {{"{file.name}", file_{at}, sizeof(file_{at}), {uses}}},\n')
    out.append(f"const struct grpc_file grpc_files[] = {{\n{''.join(rows)}"
               "    {NULL, NULL, 0, -1}};\n")
    found = sorted((name, at) for at, file in enumerate(files)
                   for name in proto.symbols(file))
    lines = "".join(f'    {{"{name}", {at}}},\n' for name, at in found)
    out.append(f"const struct grpc_symbol grpc_symbols[] = {{\n{lines}    {{NULL, 0}}}};\n")
    services = "".join(f'    "{file.package}.{name}",\n'
                       for file in files for name, _ in file.services)
    out.append(f"const char *const grpc_services[] = {{\n{services}    NULL}};\n")
    return out


def main(folder, source):
    files = proto.load(Path(folder))
    messages, enums = proto.resolve(files)
    with open(source, "w") as out:
        out.write('#include "api/grpc/tables.h"\n\n#include <stddef.h>\n\n')
        out.writelines(tables(messages, enums))
        out.writelines(descriptors(files, enums))


if __name__ == "__main__":
    main(*sys.argv[1:])
