#!/usr/bin/env python3
"""Writes dashboard.json, a dashboard for Grafana 10 or later, from the panels
below. panels.py has the forms of panels.

Usage: deploy/watch/dashboard.py

A panel says what it is for and its unit, and where a value becomes bad: with the
thresholds of rules.yaml. check.py compares the file with what this writes."""

import json
import os

from panels import (GREEN, ORANGE, RED, SOURCE, bars, graph, heatmap, of_limit,
                    placed, quantile, rate, series, stat, table, target, total, variable)

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dashboard.json")
INFER = 'route="/v2/models/{model}/infer"'
REQUESTS = "flipd_http_requests_total"
DURATION = "flipd_http_request_duration_seconds"
STAGE = "flipd_infer_stage_duration_seconds"


def failed():
    """The part of the inferences that got a 5xx. A series of a code begins with
    its first request, hence the zero."""
    every = total(REQUESTS, more=INFER)
    wrong = total(REQUESTS, more=INFER + ', code=~"5.."')
    return f"({wrong} or 0 * {every}) / {every}"


def summary():
    return [
        stat("Replicas", "Replicas that answer Prometheus.", "short",
             f"sum({series('up')})", ((None, RED), (1, ORANGE), (2, GREEN))),
        stat("Inferences", "Requests for an inference a second, whatever their "
             "answer.", "reqps", total(REQUESTS, more=INFER)),
        stat("Failed", "Part of them that got a 5xx, 503 included. The "
             "objective allows 0.1 %; an alert comes at 1.44 %.", "percentunit",
             failed(), ((None, GREEN), (0.001, ORANGE), (0.0144, RED)), min=0, max=1,
             decimals=2),
        stat("p99", "99 of 100 inferences took less, from the headers to the end "
             "of the reply: sizes and slow clients are in it.", "s",
             quantile(0.99, DURATION, more=INFER)),
        stat("Refused", "Requests and connections that limits refuse a second.",
             "reqps", total("flipd_rejected_total"),
             ((None, GREEN), (1, ORANGE))),
        stat("Certificate", "Time until the first certificate in use ends. "
             "Without TLS there is none.", "dtdurations",
             f"min({series('flipd_tls_certificate_expiry_timestamp_seconds')}) "
             "- time()",
             ((None, RED), (2 * 86400, ORANGE), (14 * 86400, GREEN)),
             noValue="no TLS"),
    ]


def requests():
    return [
        graph("Requests by status", "Every request, also for health, metrics and "
              "pages. 499: the client went away before its answer.", "reqps",
              target(total(REQUESTS, "code"), "{{code}}"), stack=True),
        graph("Requests by route", "Every request, by the route's pattern; `none` "
              "has no route.", "reqps",
              target(total(REQUESTS, "route"), "{{route}}")),
        graph("Inferences by replica", "The balancer gives the next request to the "
              "replica with the fewest, so lines that part show a slow one.",
              "reqps", target(total(REQUESTS, "instance", INFER), "{{instance}}")),
        graph("Bytes", "Bodies of requests and of replies.", "binBps",
              target(total("flipd_bytes_total", "direction"), "{{direction}}")),
        graph("Inferences by model", "Successful ones.", "reqps",
              target(total("nv_inference_request_success", "model"),
                     "{{model}}")),
        graph("Processor", "Cores that each replica uses.", "short",
              target(rate("process_cpu_seconds_total"), "{{instance}}")),
    ]


def latency():
    return [
        graph("Inferences: quantiles", "From the headers to the end of the reply. "
              "Body and reply cross the network in this time.", "s",
              *(target(quantile(part, DURATION, more=INFER), f"p{part * 100:g}")
                for part in (0.5, 0.9, 0.99))),
        graph("Median by stage", "Successful inferences. queue: waits for a loop or "
              "a worker; read: is decompressed and checked; move: is reversed; "
              "write: is compressed and handed over.", "s",
              target(quantile(0.5, STAGE, "stage"), "{{stage}}")),
        graph("p99 by stage", "The same for the slowest in a hundred.", "s",
              target(quantile(0.99, STAGE, "stage"), "{{stage}}")),
        heatmap("Inferences: durations", "How many ended in each bucket.", "s",
                f"sum by (le) (increase({series(DURATION + '_bucket', INFER)}"
                "[$__rate_interval]))"),
        graph("Mean by model", "All stages of successful inferences.", "µs",
              target(total("nv_inference_request_duration_us", "model") + " / " +
                     total("nv_inference_request_success", "model"),
                     "{{model}}")),
        graph("p99 by replica", "The whole time of inferences.", "s",
              target(quantile(0.99, DURATION, "instance", INFER), "{{instance}}")),
    ]


def queue():
    limit = series("flipd_limit_seconds", 'option="max-queue-delay"')
    return [
        graph("Queue", "Requests that wait for a worker, by the time that they will "
              "run: short to 4 ms, medium to 50 ms, long.", "short",
              target(f"sum by (lane) ({series('flipd_queue_lane_depth')})",
                     "{{lane}}"), stack=True),
        graph("Time in the queue", "p99, and --max-queue-delay, past which requests "
              "are refused.", "s",
              target(quantile(0.99, STAGE, "", 'stage="queue"'), "p99"),
              target(f"min({limit})", "limit")),
        graph("Busy workers", "Part of the worker threads that execute a request. "
              "medium serves short and medium ones.", "percentunit",
              target(f"sum by (kind) ({series('flipd_workers_busy')}) / "
                     f"sum by (kind) ({series('flipd_workers')})", "{{kind}}"),
              steps=((None, GREEN), (0.9, ORANGE)), max=1),
    ]


def refusals():
    return [
        graph("Refusals by reason", "Requests and connections that limits refuse. "
              "Each reason has a paragraph in the runbook.", "reqps",
              target(total("flipd_rejected_total", "reason"), "{{reason}}"),
              stack=True),
        graph("Failed inferences by reason", "REJECTED: by a limit; CANCELED: the "
              "client went away; BACKEND: 500; OTHER: the client's fault.", "reqps",
              target(total("nv_inference_request_failure", "reason"),
                     "{{reason}}"), stack=True),
        graph("5xx beside the objective", "The lines are the objective (0.1 %), and "
              "6 and 14.4 times of it, where alerts begin.", "percentunit",
              target(failed(), "5xx"),
              steps=((None, GREEN), (0.001, "yellow"), (0.006, ORANGE),
                     (0.0144, RED))),
    ]


def memory():
    return [
        graph("Memory", "Resident memory; the sum of the plan, which is the most "
              "that the daemon may take; and its limit.", "bytes",
              target(series("process_resident_memory_bytes"),
                     "{{instance}} resident"),
              target(series("flipd_memory_bytes", 'term="total"'),
                     "{{instance}} plan"),
              target(series("flipd_memory_bytes", 'term="limit"'),
                     "{{instance}} limit")),
        graph("Memory of its limit", "Resident memory divided by the limit.",
              "percentunit",
              target(of_limit("process_resident_memory_bytes",
                              "flipd_memory_bytes", 'term="limit"'),
                     "{{instance}}"),
              steps=((None, GREEN), (0.9, RED)), max=1),
        bars("Plan of the memory", "What each term may take, of one replica. "
             "docs/configuration.md has the formula.", "bytes",
             "max by (term) (" + series(
                 "flipd_memory_bytes", 'term!~"total|limit"') + ")", "{{term}}",
             min=0),
        graph("Bytes in flight", "leased: by requests; sockets: by the kernel for "
              "wide sockets; kept: free buffers, given back when needed.", "bytes",
              target("sum by (use) (" + series(
                  "flipd_budget_bytes", 'use!="limit"') + ")", "{{use}}"),
              stack=True),
        graph("Bytes in flight of their limit", "Without the kept ones. At 1 large "
              "requests get 503.", "percentunit",
              target("sum by (job, instance) (" + series(
                  "flipd_budget_bytes", 'use=~"leased|sockets"') +
                  ") / on (job, instance) " + series(
                      "flipd_budget_bytes", 'use="limit"'), "{{instance}}"),
              steps=((None, GREEN), (0.85, ORANGE)), max=1),
        graph("Connections of their limit", "From 15/16 on, connections that wait "
              "for a request are closed.", "percentunit",
              target(of_limit("flipd_connections", "flipd_limit",
                              'option="max-connections"'), "{{instance}}"),
              steps=((None, GREEN), (0.85, ORANGE)), max=1),
        graph("Connections", "Open connections of the main port.", "short",
              target(series("flipd_connections"), "{{instance}}")),
        graph("Open files", "Descriptors of the process.", "short",
              target(series("process_open_fds"), "{{instance}}")),
        graph("Lost log lines", "dropped: the log was not read fast enough; held "
              "back: more than 20 of a kind in a second.", "cps",
              target(total("flipd_log_dropped_total"), "dropped"),
              target(total("flipd_log_held_back_total"), "held back")),
    ]


def upkeep():
    build = series("flipd_build_info")
    simd = series("flipd_simd_info")
    return [
        table("Versions", "What each replica runs, since when, and its vector code.",
              "dateTimeFromNow",
              f"1000 * {series('process_start_time_seconds')} * on (job, instance) "
              f"group_left (version, revision) {build} * on (job, instance) "
              f"group_left (movers, json) {simd}",
              {"instance": "replica", "version": "version",
               "revision": "revision", "movers": "movers", "json": "JSON",
               "Value": "started"}),
        table("Reloads", "When the models file and the certificates in use were read. "
              "Failed ones are an alert; what was read before stays in use.",
              "dateTimeFromNow",
              f"1000 * {series('flipd_last_reload_success_timestamp_seconds')}",
              {"instance": "replica", "what": "what", "Value": "read"}, 6),
        table("Reloads that worked", "Yes: the files in use are those read last. No: "
              "they could not be used.", "bool_yes_no",
              series("flipd_last_reload_successful"),
              {"instance": "replica", "what": "what", "Value": "successful"}, 6),
        graph("Certificates", "Time until the certificate in use ends.", "s",
              target(series("flipd_tls_certificate_expiry_timestamp_seconds") +
                     " - time()", "{{instance}}"), width=12,
              steps=((None, RED), (2 * 86400, ORANGE), (14 * 86400, GREEN)),
              noValue="no TLS"),
        graph("Uptime", "Time since the start of the process.", "s",
              target(f"time() - {series('process_start_time_seconds')}",
                     "{{instance}}"), width=12),
    ]


ROWS = (("Overview", summary), ("Requests", requests), ("Latency", latency),
        ("Queue and workers", queue), ("Refusals and failures", refusals),
        ("Memory and limits", memory), ("Upkeep", upkeep))


def dashboard():
    source = {"type": "datasource", "name": "datasource", "label": "Data source",
              "query": "prometheus", "refresh": 1, "hide": 0, "regex": "",
              "multi": False, "includeAll": False, "skipUrlSync": False,
              "current": {"selected": False, "text": "Prometheus",
                          "value": "prometheus"}}
    return {
        "uid": "flipd", "title": "flipd", "tags": ["flipd"],
        "description": "Rates, durations, queue, refusals, memory and upkeep of "
                       "the replicas of flipd.",
        "schemaVersion": 39, "version": 1, "editable": False,
        "graphTooltip": 1, "timezone": "browser", "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timepicker": {}, "links": [], "fiscalYearStartMonth": 0,
        "templating": {"list": [
            source,
            variable("job", "Job", "flipd_build_info"),
            variable("instance", "Instance", 'flipd_build_info{job=~"$job"}')]},
        "annotations": {"list": [{
            "name": "Alerts", "enable": True, "hide": False,
            "iconColor": RED, "datasource": SOURCE,
            "expr": 'ALERTS{alertname=~"Flipd.*", alertstate="firing"}',
            "titleFormat": "{{alertname}}", "textFormat": "{{instance}}"}]},
        "panels": placed(ROWS),
    }


def text(page):
    return json.dumps(page, indent=1) + "\n"


if __name__ == "__main__":
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(text(dashboard()))
