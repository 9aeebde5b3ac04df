"""Each answer tells caches whether it depends on the origin of the page.

Argument 3: --cors-allow-origin is all (*), some (http://a.example is one) or
none."""

import sys

import wire

ALLOWS = sys.argv[3]
INFER = "/v2/models/openvino.Reverse/infer"
BODY = (b'{"inputs":[{"name":"data","datatype":"INT8","shape":[2],"data":[1,2]},'
        b'{"name":"axis","datatype":"INT8","shape":[1],"data":[0]}],'
        b'"parameters":{"mode":"index"}}')
COMPRESSED = "Accept-Encoding: gzip"
PREFLIGHT = "Access-Control-Request-Method: POST"
ASKED = [  # method, path, headers, body, status, what else it depends on
    ("GET", "/v2/models", [], b"", 200, ""),
    ("GET", "/v2/models", [COMPRESSED], b"", 200, "Accept-Encoding"),
    ("HEAD", "/v2/models", [], b"", 200, ""),
    ("HEAD", "/v2/health/live", [], b"", 200, ""),
    ("GET", "/", [], b"", 200, ""),
    ("GET", "/docs", [COMPRESSED], b"", 200, "Accept-Encoding"),
    ("GET", "/openapi.yaml", [], b"", 200, ""),
    ("GET", "/metrics", [], b"", 200, ""),
    ("GET", "/metrics", [COMPRESSED], b"", 200, "Accept-Encoding"),
    ("GET", "/v2/nothing", [], b"", 404, ""),
    ("POST", "/v2/nothing", [COMPRESSED], b"", 404, ""),
    ("DELETE", "/v2", [], b"", 405, ""),
    ("OPTIONS", INFER, [], b"", 405, ""),
    ("OPTIONS", INFER, [PREFLIGHT], b"", 204, ""),
    ("POST", INFER, [], BODY, 200, ""),
    ("POST", INFER, [COMPRESSED], BODY, 200, "Accept-Encoding"),
    ("POST", INFER, [], b"{", 400, ""),
    ("POST", INFER, ["Content-Encoding: br"], BODY, 415, ""),
    ("POST", INFER, ["Expect: nothing"], BODY, 417, ""),
    ("POST", INFER, ["Accept: application/json"], BODY, 200, ""),
    ("POST", "/v2/models/none/infer", [], BODY, 404, ""),
    ("POST", "/v2/repository/models/x/load", [], b"", 501, ""),
    ("POST", INFER, ["Content-Length : 3"], b"", 400, ""),  # the parser's
    ("GET", "/" + "a" * 40000, [], b"", 414, ""),
]
ORIGINS = [[], ["Origin: http://a.example"], ["Origin: http://b.example"],
           ["Origin: null"]]


def expect(method, path, origin, headers, status):
    """The status and Access-Control-Allow-Origin."""
    name = origin[0].split(": ")[1] if origin else ""
    allowed = {"all": "*", "some": name if name.endswith("a.example") else None,
               "none": None}[ALLOWS]
    if status == 204 and (not origin or not allowed):
        status = 405
    if method == "POST" and origin and not allowed and \
            path != "/v2/nothing" and "Content-Length : 3" not in headers:
        status = 403  # no type: a browser has not asked
    return status, allowed


def check(method, path, headers, body, status, varies):
    for origin in ORIGINS:
        with wire.Wire() as client:
            client.send_if_open(wire.request(method, path, body,
                                             [*headers, *origin]))
            reply = client.reply(method)
        what = f"{ALLOWS}: {method} {path[:30]} {headers} {origin}"
        wanted, allowed = expect(method, path, origin, headers, status)
        parser = status == 414 or "Content-Length : 3" in headers
        wire.equal(f"{what}: status", wanted, reply.status)
        if not parser:
            wire.equal(f"{what}: allowed", allowed,
                       reply.header("access-control-allow-origin"))
        parts = [varies] if varies and wanted < 300 else []
        parts += ["Origin"] if ALLOWS == "some" else []
        wire.equal(f"{what}: Vary", ", ".join(parts),
                   reply.header("vary") or "")


for asked in ASKED:
    check(*asked)
wire.finish()
