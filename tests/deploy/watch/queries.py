#!/usr/bin/env python3
"""Asks a Prometheus that scrapes flipd each query of dashboard.json and each rule,
and fails where one has no data.

Usage: tests/deploy/watch/queries.py URL REPLICAS
  URL       of the Prometheus, as http://127.0.0.1:9090
  REPLICAS  how many it scrapes
Prints a line for each query: how many series it has, and a value. An alert's query
has none where nothing is wrong; it is asked as a comparison that gives 0 or 1
instead."""

import json
import math
import os
import re
import sys
import time
import urllib.parse
import urllib.request

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
URL, REPLICAS = sys.argv[1], int(sys.argv[2])
# What Grafana fills in: all jobs, all instances, and four scrapes or more.
VARIABLES = {"$job": ".+", "$instance": ".+", "$__rate_interval": "1m"}
failures = []


def ask(path, **arguments):
    query = urllib.parse.urlencode(arguments)
    try:
        with urllib.request.urlopen(f"{URL}/api/v1/{path}?{query}") as reply:
            return json.load(reply)["data"]
    except urllib.error.HTTPError as error:
        return {"result": [], "error": json.load(error)["error"]}


def values(series):
    """The numbers of a series that a panel can draw."""
    points = series.get("values") or [series["value"]]
    return [number for number in (float(text) for _, text in points)
            if math.isfinite(number)]


def show(what, data):
    """A line about a query; a query without a number is a failure."""
    found = [values(series) for series in data["result"]]
    found = [numbers for numbers in found if numbers]
    last = f"{found[0][-1]:.6g}" if found else data.get("error", "nothing")
    print(f"{len(data['result']):4} series  {last:>12}  {what}")
    if not found:
        failures.append(what)


def ask_panel(title, target):
    expr = target["expr"]
    for name, value in VARIABLES.items():
        expr = expr.replace(name, value)
    if target.get("instant"):
        show(title, ask("query", query=expr))
        return
    now = time.time()
    show(title, ask("query_range", query=expr, start=now - 10, end=now, step=5))


def ask_dashboard():
    with open(f"{ROOT}/deploy/watch/dashboard.json", encoding="utf-8") as file:
        page = json.load(file)
    for panel in page["panels"]:
        for target in panel.get("targets", []):
            ask_panel(f"{panel['title']} [{target['legendFormat']}]", target)
    for name in ("job", "instance"):
        found = ask(f"label/{name}/values", **{"match[]": "flipd_build_info"})
        print(f"{name}: {found}")
        if len(found) != {"job": 1, "instance": REPLICAS}[name]:
            failures.append(f"the variable {name} offers {found}")


def as_figure(expr):
    """An alert's condition as 0 or 1; that of an absence is 1 or nothing, so the
    replicas that answer are asked for instead."""
    inner = re.fullmatch(r"absent\((.*)\)", expr)
    if inner:
        return inner[1]
    return re.sub(r" (>|<|==) ", r" \1 bool ", expr)


def ask_rules():
    for group in ask("rules")["groups"]:
        for rule in group["rules"]:
            kind = {"recording": "record", "alerting": "alert"}[rule["type"]]
            name = f"{kind} {rule['name']}"
            if rule["health"] != "ok":
                failures.append(f"{name}: {rule['health']} {rule.get('lastError')}")
            query = rule["name"] if kind == "record" else as_figure(rule["query"])
            show(name, ask("query", query=query))


ask_dashboard()
ask_rules()
for one in failures:
    print(f"no data: {one}")
sys.exit(len(failures) > 0)
