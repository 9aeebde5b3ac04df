"""Every route of the contract, with every method and with several spellings of
its path, without its header, with a wrong one and with the right one.

Arguments: the restricted APIs, each by a header X-<API> with the value <API>-1;
the routes of the other APIs are open."""

import re
import sys

from wire import Wire, equal, finish, request, true

restricted = sys.argv[3:]
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
           "get", "GETS"]
# The first that matches is the API of a path. Not taken from the daemon's own
# table, so that a slip there is noticed.
APIS = [
    (r"/v2/health/(live|ready)|/healthz|/v2/models/.*/ready", "health"),
    (r"/v2/models/.*/infer", "inference"),
    (r"/v2/(system|cuda)sharedmemory/.*", "shared-memory"),
    (r"/v2/models/.*/config", "model-config"),
    (r"/v2/repository/.*", "model-repository"),
    (r"/v2/models/(.*/)?stats", "statistics"),
    (r"/v2/logging", "logging"),
    (r"/metrics", "metrics"),
    (r"/v2/?|/v2/models(/[^/]*(/versions/[^/]*)?)?", "metadata"),
    (r"/openapi\.(yaml|json)|/(docs|status)?", "none: always open"),
]
every_header = [f"X-{name}: {name}-1" for name in restricted]
wire = Wire()


def ask(method, path, headers):
    """On a connection that is kept, for there are thousands of requests."""
    global wire
    wire.send(request(method, path, b"" if method == "POST" else None, headers))
    reply = wire.reply(method)
    if reply.closes():
        wire.socket.close()
        wire = Wire()
    return reply


def read_contract():
    """Paths, each with its methods."""
    routes, path = {}, None
    text = ask("GET", "/openapi.yaml", every_header).body.decode()
    for line in text.splitlines():
        if at := re.match(r"  (/\S*):$", line):
            path = at[1]
            routes[path] = set()
        elif line and not line.startswith(" "):
            path = None
        elif path and (at := re.match(r"    (get|head|post):", line)):
            routes[path].add(at[1].upper())
    return routes


def api_of(path):
    return next(api for form, api in APIS if re.fullmatch(form, path))


def refused(what, reply, method, text):
    equal(f"{what}: status", 403, reply.status)
    if method != "HEAD":
        equal(f"{what}: text", {"error": text}, reply.json())


def check_closed(what, method, path, api):
    header = f"X-{api}"
    start = f"this route is restricted: the header {header} is"
    others = [h for h in every_header if not h.startswith(header + ":")]
    refused(what, ask(method, path, others), method, f"{start} missing")
    for wrong in (f"{api}-2", f"{api}-", f"{api}-11", api.upper() + "-1"):
        refused(f"{what}, {wrong}",
                ask(method, path, [f"{header}: {wrong}", *others]), method,
                f"{start} not the right one")
    status = ask(method, path, [f"{header}: {api}-1"]).status
    true(f"{what}, with the header: {status}", status not in (401, 403, 405))


def check_methods(path, allowed, api):
    for method in METHODS:
        what = f"{method} {path}"
        if method not in allowed:
            for headers in [], every_header:
                equal(what, 405, ask(method, path, headers).status)
        elif api in restricted:
            check_closed(what, method, path, api)
        # Changes of the log settings have a rule of their own.
        elif (method, api) != ("POST", "logging"):
            status = ask(method, path, []).status
            true(f"{what}, open: {status}", status not in (401, 403, 405))


def same_paths(path):
    """Other texts of the same path."""
    yield from (f"http://x{path}", f"HTTP://user@X:1{path}", f"x://{path}",
                f"{path}?", f"{path}?a=b", f"{path}?/../v2")


def other_paths(path):
    """Texts that a proxy or a careless server might take for the path."""
    for at, c in enumerate(path):
        if c == "/":
            for slash in ("//", "/./", "/x/../", "%2f", "%2F", "\\", "/;/",
                          "/%2e/", "%5c"):
                yield path[:at] + slash + path[at + 1:]
        elif c.isalpha():
            yield path[:at] + c.swapcase() + path[at + 1:]
            yield f"{path[:at]}%{ord(c):02x}{path[at + 1:]}"
    for end in ("/", "//", "/.", "/..", "%20", "%00", "%2f", ".", ";a", ";a=b",
                "%3f", "%23"):
        yield path + end


def check_spellings(path, method, api):
    for text in same_paths(path):
        equal(f"{method} {text}", 403, ask(method, text, []).status)
    for text in other_paths(path):
        status = ask(method, text, []).status
        true(f"{method} {text}: {status}", status in (400, 403, 404, 405))


routes = read_contract()
true(f"only {len(routes)} routes", len(routes) > 30)
for route, allowed in routes.items():
    path = route.format(model="openvino.Reverse", version="1", region="r")
    api = api_of(path)
    check_methods(path, allowed, api)
    if api in restricted:
        for method in allowed - {"HEAD"}:
            check_spellings(path, method, api)
finish()
