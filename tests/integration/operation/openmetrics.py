"""/metrics in OpenMetrics, where the client asks for it: the metrics of the other
format by its rules, and the trace of a request beside its bucket."""

import re

from wire import ask, equal, finish, true

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OPENMETRICS = "application/openmetrics-text"
SAMPLE = re.compile(
    r'([a-z_]+)((?:\{(?:[a-z_]+="[^"]*",?)+\})?) ([0-9.]+(?:e[+-]?[0-9]+)?|\+Inf)'
    r'( # \{trace_id="([0-9a-f]{32})"\} [0-9.e-]+ [0-9]+\.[0-9]{3})?')
SUFFIXES = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"],
            "gauge": [""], "unknown": [""]}


def read(accept):
    """Content type, {family: type}, and all other lines."""
    reply = ask("GET", "/metrics", headers=[f"Accept: {accept}"])
    equal("Vary", "Accept", reply.header("vary"))
    lines = reply.body.decode().splitlines()
    return (reply.header("content-type"),
            {line.split()[2]: line.split()[3]
             for line in lines if line.startswith("# TYPE ")},
            [line for line in lines
             if not line.startswith(("# TYPE ", "# HELP "))])


def check_sample(line, types):
    match = SAMPLE.fullmatch(line)
    if not true(f"not OpenMetrics: {line}", match):
        return None
    name, labels, _, exemplar, trace = match.groups()
    true(f"no family for {line}",
         any(name == family + suffix for family, kind in types.items()
             for suffix in SUFFIXES[kind]))
    if exemplar:
        true(f"an exemplar stands in {line}",
             name == "flipd_http_request_duration_seconds_bucket" and
             "/infer" in labels)
    return trace


def check_types(types, plain):
    for family, kind in plain.items():
        name = family.removesuffix("_total")
        other = "unknown" if kind == "counter" and name == family else kind
        equal(f"type of {family}", other, types.get(name))
    equal("families", len(plain), len(types))


def check_accept():
    for accept in ("*/*", "text/plain", f"{OPENMETRICS};q=0", "x/y",
                   f"{OPENMETRICS};q=0.3,text/plain",
                   f"{OPENMETRICS};q=0.3,text/*;q=0.4"):
        kind = read(accept)[0]
        true(f"Accept: {accept}: {kind}",
             kind.startswith("text/plain; version=0.0.4"))


ask("POST", "/v2/models/none/infer", b"{}",
    [f"traceparent: 00-{TRACE}-00f067aa0ba902b7-01"])
ask("GET", "/v2", headers=[f"traceparent: 00-{TRACE[::-1]}-00f067aa0ba902b7-01"])
_, plain, lines = read("text/plain")
true("an exemplar in the other format", not any("#" in line for line in lines))
kind, types, lines = read(
    f"{OPENMETRICS};version=1.0.0;q=0.5,text/plain;q=0.5,*/*;q=0.1")
equal("content type", f"{OPENMETRICS}; version=1.0.0; charset=utf-8", kind)
equal("end", "# EOF", lines.pop())
equal("traces", [TRACE],
      [trace for line in lines if (trace := check_sample(line, types))])
check_types(types, plain)
equal("Vary of a coded reply", "Accept, Accept-Encoding",
      ask("GET", "/metrics", headers=["Accept-Encoding: gzip"]).header("vary"))
equal("Vary of a refusal", None, ask("PUT", "/metrics").header("vary"))
check_accept()
finish()
