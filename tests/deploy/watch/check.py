#!/usr/bin/env python3
"""What can be seen of rules.yaml and dashboard.json by reading them: each alert has
its paragraph in deploy/watch/README.md, each metric exists, and each panel has what its
reader needs.

Usage: tests/deploy/watch/check.py [METRICS]
  METRICS  a file with a daemon's answer to GET /metrics. Without it the metrics are
           those of docs/observability.md, whose table a test compares with /metrics
Prints what is wrong; exit code 1 if anything is."""

import json
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.append(f"{ROOT}/deploy/watch")

import dashboard  # noqa: E402
import rules_test  # noqa: E402

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
OURS = re.compile(r"flipd_|nv_inference_|process_")
# What Grafana still opens, but asks to be replaced.
DEPRECATED = {"graph", "singlestat", "table-old", "heatmap-new", "grafana-piechart-panel"}
KINDS = {"row", "stat", "timeseries", "heatmap", "table", "bargauge"}
wrong = []


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def expect(good, what):
    if not good:
        wrong.append(what)


def without_strings(expr):
    return re.sub(r'"[^"]*"', '""', expr)


def names_of(expr):
    """Metrics of flipd's, without a histogram's suffix; and recorded series."""
    words = set(NAME.findall(without_strings(expr)))
    metrics = {re.sub(r"_(bucket|sum|count)$", "", word) for word in words
               if OURS.match(word)}
    return metrics, {word for word in words if ":" in word}


def check_names(where, expr, known, records):
    metrics, recorded = names_of(expr)
    for name in metrics - known:
        wrong.append(f"{where}: docs/observability.md has no metric {name}")
    for name in recorded - records:
        wrong.append(f"{where}: no rule records {name}")


def known_metrics():
    """METRICS as they are, or as they are documented."""
    if sys.argv[1:]:
        return set(re.findall(r"^# TYPE (\w+)", text(sys.argv[1]), re.M))
    return {name for name in re.findall(r"^\| `(\w+)`", text("docs/observability.md"),
                                        re.M) if OURS.match(name)}


def check_reasons():
    """Each reason of METRICS for a refusal has a row in the runbook."""
    page = text("deploy/watch/README.md")
    for reason in re.findall(r'^flipd_rejected_total{reason="(\w+)"}',
                             text(sys.argv[1]) if sys.argv[1:] else "", re.M):
        expect(f"\n| `{reason}` |" in page,
               f"deploy/watch/README.md has no row for the reason {reason}")


def rules(page):
    """Kind and name of each rule, and its lines."""
    page = re.sub(r"^ *#.*\n", "", page, flags=re.M)
    for part in re.split(r"^ {2,6}- ", page, flags=re.M)[1:]:
        kind, _, name = part.partition("\n")[0].partition(": ")
        if kind in ("record", "alert"):
            yield kind, name, part


def check_alert(name, lines, headings, tested):
    link = f"deploy/watch/README.md#{name.lower()}"
    expect(f"runbook_url: {link}\n" in lines,
           f"{name}: runbook_url is not {link}")
    expect(name in headings, f"{name}: deploy/watch/README.md has no heading ### {name}")
    for word in ("severity: ", "summary: ", "description: "):
        expect(word in lines, f"{name}: no {word[:-2]}")
    expect(name in tested, f"{name}: rules_test.py does not make it fire")


def check_rules():
    page = text("deploy/watch/rules.yaml")
    headings = re.findall(r"^### (Flipd\w+)$", text("deploy/watch/README.md"), re.M)
    tested = {one["alertname"] for case in rules_test.TESTS
              for one in case["alert_rule_test"] if "exp_alerts" in one}
    found = list(rules(page))
    records = {name for kind, name, _ in found if kind == "record"}
    alerts = [name for kind, name, _ in found if kind == "alert"]
    for kind, name, lines in found:
        expr = lines.partition("expr:")[2].partition("\n        for:")[0]
        expr = expr.partition("\n        labels:")[0]
        check_names(name, expr, known_metrics(), records)
        if kind == "alert":
            check_alert(name, lines, headings, tested)
    for name in set(headings) - set(alerts):
        wrong.append(f"deploy/watch/README.md: ### {name} is no alert of rules.yaml")
    expect(len(set(alerts)) == len(alerts), "two alerts have one name")
    return len(records), len(alerts)


def check_query(title, expr):
    check_names(title, expr, known_metrics(), set())
    for selector in re.findall(r"[a-z_]\w*\{([^}]*)\}", without_matched(expr)):
        expect('job=~"$job"' in selector and 'instance=~"$instance"' in selector,
               f"{title}: {expr} does not select by $job and $instance")
    for span in re.findall(r"\[([^\]]*)\]", without_strings(expr)):
        expect(span == "$__rate_interval", f"{title}: a rate over {span}")


def without_matched(expr):
    """The route's pattern has braces of its own."""
    return expr.replace("{model}", "MODEL")


def check_panel(panel):
    title, kind = panel["title"], panel["type"]
    expect(kind in KINDS and kind not in DEPRECATED, f"{title}: its type is {kind}")
    if kind == "row":
        return
    defaults = panel["fieldConfig"]["defaults"]
    expect(panel["description"].endswith("."), f"{title}: no description")
    expect(defaults["unit"], f"{title}: no unit")
    expect(defaults["thresholds"]["steps"][0]["value"] is None,
           f"{title}: no colour below the first threshold")
    several = len(panel["targets"]) > 1
    for one in panel["targets"]:
        check_query(title, one["expr"])
        expect(kind in ("stat", "table") or one["legendFormat"] != "__auto",
               f"{title}: no legend")
        expect(not several or one["legendFormat"], f"{title}: no legend")


def check_places(panels):
    taken = {}
    for panel in panels:
        place = panel["gridPos"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                expect((x, y) not in taken and x < 24,
                       f"{panel['title']}: overlaps {taken.get((x, y))}")
                taken[x, y] = panel["title"]


def check_dashboard():
    page = dashboard.dashboard()
    expect(text("deploy/watch/dashboard.json") == dashboard.text(page),
           "dashboard.json is not what deploy/watch/dashboard.py writes")
    json.loads(text("deploy/watch/dashboard.json"))
    titles = [panel["title"] for panel in page["panels"]]
    expect(len(set(titles)) == len(titles), "two panels have one title")
    for panel in page["panels"]:
        check_panel(panel)
    check_places(page["panels"])
    return len(page["panels"])


def main():
    records, alerts = check_rules()
    check_reasons()
    panels = check_dashboard()
    for one in dict.fromkeys(wrong):
        print(one)
    print(f"{records} records, {alerts} alerts, {panels} panels and rows, "
          f"{len(wrong)} faults")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
