"""The reference for people: the contract as HTML, readable without a script."""

import json
import re
from html import escape

METHODS = ("get", "post")


def prose(text):
    """Paragraphs, with `code` in them."""
    html = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text.strip(), quote=False))
    return "".join(f"<p>{' '.join(part.split())}</p>\n" for part in re.split(r"\n\s*\n", html) if part)


def name_of(reference):
    return reference["$ref"].rsplit("/", 1)[1]


def link(kind, name):
    return f'<a href="#{kind}-{escape(name)}">{escape(name)}</a>'


def type_of(schema):
    """A schema in a line."""
    if schema is True or not schema:
        return "anything"
    if "$ref" in schema:
        return link("schema", name_of(schema))
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    if "enum" in schema:
        return ", ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return " or ".join(type_of(part) for part in schema[word])
    if schema.get("format") == "binary":
        return "bytes"
    kinds = schema.get("type", "object")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "array" in kinds and "items" in schema and kinds != ["array", "null"]:
        return f"array of {type_of(schema['items'])}"
    return " or ".join(kinds)


def bounds_of(schema):
    words = {"minimum": "at least", "maximum": "at most", "default": "default",
             "pattern": "matches", "maxItems": "entries: at most"}
    if not isinstance(schema, dict):
        return ""
    return "".join(f", {text} <code>{escape(json.dumps(schema[key]).strip(chr(34)))}</code>"
                   for key, text in words.items() if key in schema)


def properties(schema, depth=0):
    """The rows of an object's fields; those of objects in it are indented."""
    rows = []
    for name, inner in schema.get("properties", {}).items():
        needed = " <b>required</b>" if name in schema.get("required", []) else ""
        text = prose(inner["description"]) if isinstance(inner, dict) and "description" in inner else ""
        rows.append(f'<tr><th scope="row" class="d{depth}"><code>{escape(name)}</code></th>'
                    f"<td>{type_of(inner)}{bounds_of(inner)}{needed}{text}</td></tr>\n")
        inside = inner.get("items", inner) if isinstance(inner, dict) else {}
        for part in inside.get("anyOf", [inside]) if isinstance(inside, dict) else []:
            rows.extend(properties(part, depth + 1))
    return rows


def fields(schema):
    rows = "".join(properties(schema))
    return f"<table><tbody>{rows}</tbody></table>\n" if rows else ""


def example(value):
    """As JSON, with what fits on a line on one."""
    text = json.dumps(value, indent=2)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text)


class Reference:
    def __init__(self, document):
        self.document = document
        self.paths = document["paths"]
        self.components = document["components"]

    def resolve(self, part):
        while "$ref" in part:
            part = self.components[part["$ref"].split("/")[2]][name_of(part)]
        return part

    def operations(self, tag):
        for path, item in self.paths.items():
            for method in METHODS:
                if method in item and tag in item[method]["tags"]:
                    yield path, method, item

    def is_variant(self, path):
        """Whether it is another path with a version; its base says so."""
        return "/versions/{version}" in path or path == "/v2/"

    def heading(self, path, method):
        return f"{method}{re.sub(r'[^a-z0-9]+', '-', path.lower())}"

    def parameters(self, item, operation):
        rows = ""
        for part in map(self.resolve, item.get("parameters", []) + operation.get("parameters", [])):
            rows += (f'<tr><th scope="row"><code>{escape(part["name"])}</code></th>'
                     f"<td>in {part['in']}, {type_of(part['schema'])}"
                     f"{' <b>required</b>' if part.get('required') else ''}"
                     f"{prose(part.get('description', ''))}</td></tr>\n")
        return f"<h4>Parameters</h4>\n<table><tbody>{rows}</tbody></table>\n" if rows else ""

    def body(self, operation):
        if "requestBody" not in operation:
            return ""
        body = self.resolve(operation["requestBody"])
        text = f"<h4>Body</h4>\n{prose(body.get('description', ''))}<ul>"
        examples = ""
        for kind, content in body["content"].items():
            shape = f": {type_of(content['schema'])}" if content.get("schema") else ""
            text += f"<li><code>{kind}</code>{shape}</li>"
            for name, one in content.get("examples", {}).items():
                examples += (f"<details{'' if examples else ' open'}><summary>Example: {escape(name)}</summary>"
                             f'<pre tabindex="0">{escape(example(self.resolve(one)["value"]))}</pre></details>\n')
        return f"{text}</ul>\n{examples}"

    def responses(self, operation):
        good, bad = "", []
        for code, part in operation["responses"].items():
            if code >= "300":
                bad.append(f'<a href="#response-{name_of(part)}">{code}</a>')
                continue
            answer = self.resolve(part)
            good += f"<li><b>{code}</b> {escape(answer['description'])}"
            for kind, content in answer.get("content", {}).items():
                good += f"; <code>{kind}</code>" + (f" {type_of(content['schema'])}" if content.get("schema") else "")
            good += self.headers(answer) + "</li>"
        return f"<h4>Answers</h4>\n<ul>{good}<li>Refusals: {', '.join(bad)}</li></ul>\n"

    def headers(self, answer):
        rows = ""
        for name, part in answer.get("headers", {}).items():
            rows += f"<li><code>{escape(name)}</code>{prose(self.resolve(part).get('description', ''))}</li>"
        return f"<ul>{rows}</ul>" if rows else ""

    def operation(self, path, method, item):
        operation = item[method]
        variant = path.replace("{model}", "{model}/versions/{version}")
        also = f"<p>Also <code>{escape(variant)}</code>.</p>\n" if variant != path and variant in self.paths else ""
        return (f'<section id="{self.heading(path, method)}"><h3><code><b>{method.upper()}</b> {escape(path)}</code></h3>\n'
                f"<p>{escape(operation['summary'])}.</p>\n{prose(operation.get('description', ''))}{also}"
                f"{self.parameters(item, operation)}{self.body(operation)}{self.responses(operation)}</section>\n")

    def errors(self):
        text = ""
        for name, part in self.components["responses"].items():
            codes = sorted({code for item in self.paths.values() for operation in item.values()
                            if isinstance(operation, dict) for code, used in operation["responses"].items()
                            if code >= "300" and used.get("$ref", "").endswith(f"/{name}")})
            if codes:
                headers = "".join(f" With <code>{escape(header)}</code>." for header in part.get("headers", {}))
                text += (f'<tr id="response-{name}"><th scope="row">{", ".join(codes)}</th>'
                         f"<td>{escape(part['description'])}.{headers}</td></tr>\n")
        return f"<table><tbody>{text}</tbody></table>\n"

    def schemas(self):
        text = ""
        for name, schema in self.components["schemas"].items():
            kind = "" if "properties" in schema else f"<p>{type_of(schema)}{bounds_of(schema)}</p>\n"
            text += (f'<section id="schema-{escape(name)}"><h3><code>{escape(name)}</code></h3>\n'
                     f"{prose(schema.get('description', ''))}{kind}{fields(schema)}</section>\n")
        return text

    def index(self):
        text = ""
        for tag in self.document["tags"]:
            text += f'<li><a href="#{tag["name"]}">{escape(tag["description"])}</a><ul>'
            for path, method, _ in self.operations(tag["name"]):
                if not self.is_variant(path):
                    spelled = escape(path).replace("/", "/<wbr>")
                    text += f'<li><a href="#{self.heading(path, method)}"><b>{method.upper()}</b> {spelled}</a></li>'
            text += "</ul></li>\n"
        return text + '<li><a href="#refusals">Refusals</a></li><li><a href="#schemas">Schemas</a></li>'

    def body_text(self):
        text = ""
        for tag in self.document["tags"]:
            text += f'<h2 id="{tag["name"]}">{escape(tag["description"])}</h2>\n'
            text += "".join(self.operation(*one) for one in self.operations(tag["name"])
                            if not self.is_variant(one[0]))
        return (f'{text}<h2 id="refusals">Refusals</h2>\n{self.errors()}'
                f'<h2 id="schemas">Schemas</h2>\n{self.schemas()}')


def parts(document):
    """What docs.html names, by its names."""
    reference = Reference(document)
    return {"intro": prose(document["info"]["description"]),
            "index": reference.index(), "reference": reference.body_text()}
