"""Reads .proto files of the form that api/grpc/proto has (proto3 with messages, enums,
oneofs, maps and services) and makes their descriptors: the message FileDescriptorProto
of descriptor.proto, which server reflection sends. Names and numbers are all that counts
here; comments are for people."""

import re

TOKEN = re.compile(r'\s+|//[^\n]*|("[^"]*"|[\w.]+|[{}()<>\[\]=;,])')
SCALARS = {"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "bool": 8,
           "string": 9, "bytes": 12, "uint32": 13}
MESSAGE, ENUM = 11, 14


class Tokens:
    def __init__(self, text, name):
        self.all, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise SystemExit(f"{name}: cannot read {text[at:at + 40]!r}")
            if match[1]:
                self.all.append(match[1])
            at = match.end()
        self.name, self.at = name, 0

    def next(self, *wanted):
        token = self.all[self.at]
        if wanted and token not in wanted:
            raise SystemExit(f"{self.name}: {token!r}, but {wanted} is expected")
        self.at += 1
        return token

    def skips(self, token):
        found = self.at < len(self.all) and self.all[self.at] == token
        self.at += found
        return found


class Field:
    """`type` is a number of SCALARS, or the full name that resolve() finds."""
    def __init__(self, name, number, type_name, repeated=False, oneof=None):
        self.name, self.number, self.type_name = name, number, type_name
        self.repeated, self.oneof, self.type = repeated, oneof, None


class Message:
    def __init__(self, name, is_entry=False):
        self.name, self.is_entry = name, is_entry
        self.fields, self.oneofs, self.messages, self.enums = [], [], [], []


class Enum:
    def __init__(self, name):
        self.name, self.values = name, []


class File:
    def __init__(self, name, text):
        self.name, self.package = name, ""
        self.imports, self.messages, self.enums, self.services = [], [], [], []
        tokens = Tokens(text, name)
        while tokens.at < len(tokens.all):
            read_statement(self, tokens)


def read_statement(file, tokens):
    word = tokens.next("syntax", "package", "import", "message", "enum", "service")
    if word == "message":
        file.messages.append(read_message(tokens))
    elif word == "enum":
        file.enums.append(read_enum(tokens))
    elif word == "service":
        file.services.append(read_service(tokens))
    else:
        tokens.skips("=")
        value = tokens.next().strip('"')
        tokens.next(";")
        if word == "package":
            file.package = value
        elif word == "import":
            file.imports.append(value)
        elif value != "proto3":
            raise SystemExit(f"{file.name}: syntax {value}")


def read_field(tokens, word, message, oneof=None):
    repeated = word == "repeated"
    type_name = tokens.next() if repeated else word
    entry = None
    if type_name == "map":
        tokens.next("<")
        key = tokens.next()
        tokens.next(",")
        entry = (key, tokens.next())
        tokens.next(">")
    name = tokens.next()
    tokens.next("=")
    number = int(tokens.next())
    tokens.next(";")
    if entry:
        repeated = True
        type_name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
        nested = Message(type_name, is_entry=True)
        nested.fields = [Field("key", 1, entry[0]), Field("value", 2, entry[1])]
        message.messages.append(nested)
    message.fields.append(Field(name, number, type_name, repeated, oneof))


def read_message(tokens):
    message = Message(tokens.next())
    tokens.next("{")
    while not tokens.skips("}"):
        word = tokens.next()
        if word == "message":
            message.messages.append(read_message(tokens))
        elif word == "enum":
            message.enums.append(read_enum(tokens))
        elif word == "oneof":
            message.oneofs.append(tokens.next())
            tokens.next("{")
            while not tokens.skips("}"):
                read_field(tokens, tokens.next(), message, len(message.oneofs) - 1)
        else:
            read_field(tokens, word, message)
    return message


def read_enum(tokens):
    enum = Enum(tokens.next())
    tokens.next("{")
    while not tokens.skips("}"):
        name = tokens.next()
        tokens.next("=")
        enum.values.append((name, int(tokens.next())))
        tokens.next(";")
    return enum


def read_service(tokens):
    """Name and methods: (name, input, streams in, output, streams out)."""
    name, methods = tokens.next(), []
    tokens.next("{")
    while not tokens.skips("}"):
        tokens.next("rpc")
        method = [tokens.next()]
        tokens.next("(")
        for end in ("returns", "{"):
            streams = tokens.skips("stream")
            method += [tokens.next(), streams]
            tokens.next(")")
            tokens.next(end)
            if end == "returns":
                tokens.next("(")
        tokens.next("}")
        methods.append(method)
    return name, methods


def walk(messages, scope):
    """Every message with its full name, the outer ones first."""
    for message in messages:
        name = f"{scope}.{message.name}"
        yield name, message
        yield from walk(message.messages, name)


def resolve(files):
    """Sets the types of all fields; returns messages and enums by their full names."""
    messages, enums = {}, {}
    for file in files:
        messages |= dict(walk(file.messages, "." + file.package))
        enums |= {f".{file.package}.{enum.name}": enum for enum in file.enums}
    for name, message in messages.items():
        enums |= {f"{name}.{enum.name}": enum for enum in message.enums}
    for name, message in messages.items():
        for field in message.fields:
            field.type = SCALARS.get(field.type_name)
            scope = name
            while field.type is None and scope:
                full = f"{scope}.{field.type_name}"
                field.type = full if full in messages or full in enums else None
                scope = scope.rpartition(".")[0]
            if field.type is None:
                raise SystemExit(f"{name}: no type {field.type_name}")
    return messages, enums


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def describe_enum(enum):
    return text(1, enum.name) + b"".join(
        text(2, text(1, name) + number(2, value)) for name, value in enum.values)


def describe_field(field, enums):
    kind = field.type
    if isinstance(kind, str):
        kind = ENUM if field.type in enums else MESSAGE
    out = text(1, field.name) + number(3, field.number)
    out += number(4, 3 if field.repeated else 1) + number(5, kind)
    if isinstance(field.type, str):
        out += text(6, field.type)
    return out if field.oneof is None else out + number(9, field.oneof)


def describe_message(message, enums):
    out = text(1, message.name)
    out += b"".join(text(2, describe_field(field, enums)) for field in message.fields)
    out += b"".join(text(3, describe_message(m, enums)) for m in message.messages)
    out += b"".join(text(4, describe_enum(enum)) for enum in message.enums)
    if message.is_entry:
        out += text(7, number(7, 1))
    return out + b"".join(text(8, text(1, name)) for name in message.oneofs)


def describe_service(service, package):
    out = text(1, service[0])
    for name, takes, streams_in, gives, streams_out in service[1]:
        method = text(1, name) + text(2, f".{package}.{takes}")
        method += text(3, f".{package}.{gives}")
        method += number(5, 1) if streams_in else b""
        out += text(2, method + (number(6, 1) if streams_out else b""))
    return out


def describe(file, enums):
    """The FileDescriptorProto."""
    out = text(1, file.name) + text(2, file.package)
    out += b"".join(text(3, name) for name in file.imports)
    out += b"".join(text(4, describe_message(m, enums)) for m in file.messages)
    out += b"".join(text(5, describe_enum(enum)) for enum in file.enums)
    out += b"".join(text(6, describe_service(s, file.package)) for s in file.services)
    return out + text(12, "proto3")


def enum_symbols(enum, scope):
    """Values belong to the scope around their enum."""
    return [f"{scope}.{enum.name}"] + [f"{scope}.{name}" for name, _ in enum.values]


def symbols(file):
    """All names that the file defines, sorted."""
    found = []
    for enum in file.enums:
        found += enum_symbols(enum, file.package)
    for name, message in walk(file.messages, "." + file.package):
        name = name[1:]
        found += [name] + [f"{name}.{field.name}" for field in message.fields]
        found += [f"{name}.{oneof}" for oneof in message.oneofs]
        for enum in message.enums:
            found += enum_symbols(enum, name)
    for name, methods in file.services:
        found.append(f"{file.package}.{name}")
        found += [f"{file.package}.{name}.{method[0]}" for method in methods]
    return sorted(found)


def load(folder):
    """All files of the folder, in their order by name, and reflection's older package,
    which has the same messages."""
    files = []
    for path in sorted(folder.rglob("*.proto")):
        name, source = str(path.relative_to(folder)), path.read_text()
        files.append(File(name, source))
        if "reflection" in name:
            older = name.replace("/v1/", "/v1alpha/")
            files.append(File(older, source.replace("reflection.v1;",
                                                    "reflection.v1alpha;")))
    return files
