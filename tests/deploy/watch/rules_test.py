#!/usr/bin/env python3
"""Prints the tests of rules.yaml as promtool reads them.

First a service in which nothing is wrong, for seven hours; then each alert: the moment
before it fires, when it has fired, and what it says."""

import json
import os

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
EXPIRY = "flipd_tls_certificate_expiry_timestamp_seconds"
# The labels of an alert: of one replica, of all.
ONE = {"job": "flipd", "instance": "a", "severity": "warning"}
ALL = {"job": "flipd", "severity": "warning"}
FULL = ["FlipdBytesFull", "FlipdConnectionsFull", "FlipdMemoryHigh", "FlipdWorkersBusy"]


def series(name, values, job="flipd", instance="a", **labels):
    labels = {"job": job, "instance": instance, **labels}
    text = ", ".join(f'{key}="{value}"' for key, value in labels.items())
    return {"series": f"{name}{{{text}}}", "values": values}


def infer(code, values, instance="a"):
    return series("flipd_http_requests_total", values, instance=instance,
                  route="/v2/models/{model}/infer", code=code)


def rejected(reason, values, instance="a"):
    return series("flipd_rejected_total", values, instance=instance, reason=reason)


def failed(reason, values, job="flipd", model="openvino.Reverse"):
    return series("nv_inference_request_failure", values, job, model=model, version="1",
                  reason=reason)


def staged(le, values, stage="queue"):
    return series("flipd_infer_stage_duration_seconds_bucket", values,
                  model="onnx.ReverseSequence", stage=stage, le=le)


def gives(at, expr, samples=()):
    """samples: {labels: value}. Without them the expression has no value."""
    found = [{"labels": labels, "value": samples[labels]} for labels in samples]
    return {"expr": expr, "eval_time": at, "exp_samples": found}


def records(at, name, labels, value):
    return gives(at, name, {f"{name}{labels}": value})


def firing(at, *names):
    """These alerts fire, and no other."""
    return gives(at, 'count by (alertname) (ALERTS{alertstate="firing"})',
                 {f'{{alertname="{name}"}}': 1 for name in names})


def fires(at, name):
    return gives(at, f'count(ALERTS{{alertname="{name}", alertstate="firing"}})', {"{}": 1})


def rests(at, name):
    """Is not even pending."""
    return gives(at, f'count(ALERTS{{alertname="{name}"}})')


def silent(at, name):
    """Does not fire."""
    return {"alertname": name, "eval_time": at}


def says(at, name, labels, summary, description):
    """Fires with these labels and texts."""
    texts = {"summary": summary, "description": description,
             "runbook_url": f"deploy/watch/README.md#{name.lower()}"}
    return {"alertname": name, "eval_time": at,
            "exp_alerts": [{"exp_labels": labels, "exp_annotations": texts}]}


def case(name, given, checks):
    return {"name": name, "interval": "1m", "input_series": given,
            "alert_rule_test": [one for one in checks if "alertname" in one],
            "promql_expr_test": [one for one in checks if "expr" in one]}


TESTS = [
    case("two healthy replicas, with one 503 in ten thousand", [
        series("up", "1x420"),
        series("up", "1x420", instance="b"),
        # b was restarted once, for an upgrade that took ten minutes in all.
        series("process_start_time_seconds", "1000x420"),
        series("process_start_time_seconds", "1000x200 13000x219", instance="b"),
        series("flipd_build_info", "1x420", version="0.2.0", revision="f00"),
        series("flipd_build_info", "1x10 stale", instance="b", version="0.1.0", revision="ba5"),
        series("flipd_build_info", "_x10 1x409", instance="b", version="0.2.0", revision="f00"),
        infer("200", "0+600000x420"),
        infer("503", "0+60x420"),
        infer("200", "0+600000x420", "b"),
        infer("400", "0+60000x420", "b"),
        failed("BACKEND", "0x420"),
        rejected("queue_delay", "0+60x420"),
        rejected("body_timeout", "0+6x420"),
        # Too large is the client's fault; it refuses nothing that could be served.
        rejected("body_too_large", "0+60000x420"),
        staged("0.001", "0+600000x420"),
        staged("+Inf", "0+600000x420"),
        series("flipd_limit_seconds", "0.1x420", option="max-queue-delay"),
        series("flipd_connections", "800x420"),
        series("flipd_limit", "1000x420", option="max-connections"),
        series("flipd_budget_bytes", "50x420", use="leased"),
        series("flipd_budget_bytes", "10x420", use="sockets"),
        # Kept buffers are freed as soon as a request needs them.
        series("flipd_budget_bytes", "40x420", use="kept"),
        series("flipd_budget_bytes", "100x420", use="limit"),
        series("process_resident_memory_bytes", "85x420"),
        series("flipd_memory_bytes", "100x420", term="limit"),
        series("flipd_queue_depth", "10x420"),
        series("flipd_limit", "1000x420", option="max-queue-size"),
        # The threads for long requests may be busy for hours.
        series("flipd_workers_busy", "1x420", kind="medium"),
        series("flipd_workers", "2x420", kind="medium"),
        series("flipd_workers_busy", "2x420", kind="long"),
        series("flipd_workers", "2x420", kind="long"),
        # The end is 15 days after the last moment.
        series(EXPIRY, "1321200x420"),
        series("flipd_last_reload_successful", "1x420", what="tls"),
        series("flipd_log_dropped_total", "0x420"),
        series("flipd_log_held_back_total", "0+6x420"),
        # Another service: none of the rules speaks of it.
        series("up", "0x420", job="other"),
        series("flipd_connections", "1000x420", job="other"),
    ], [
        gives("7h", "count(ALERTS)"),
        gives("7h", 'max_over_time(count(ALERTS{alertname!="FlipdVersionsDiffer"})[7h:1m])'),
        gives("7h", 'max_over_time(count(ALERTS{alertstate="firing"})[7h:1m])'),
        records("7h", "job:flipd_infer_requests:rate5m", '{job="flipd"}', 21001),
        gives("7h", "round(1e9 * job:flipd_infer_errors:ratio_rate6h)",
              {'{job="flipd"}': 47617}),
        records("7h", "job_stage:flipd_infer_stage_duration_seconds:p50_rate5m",
                '{job="flipd", stage="queue"}', 0.0005),
        records("7h", "job_instance:flipd_inflight_bytes:ratio",
                '{job="flipd", instance="a"}', 0.6),
        records("7h", "job_instance:flipd_queue:ratio",
                '{job="flipd", instance="a"}', 0.01),
    ]),
    case("no request at all is no error", [
        infer("200", "100x30"),
    ], [
        gives("30m", 'ALERTS{alertname=~"FlipdErrors.*|FlipdRefusing"}'),
    ]),
    case("nine errors of few requests wake nobody", [
        infer("200", "0+1x400"),
        infer("503", "0+1x8 8x392"),
    ], [
        gives("400m", 'max_over_time(count(ALERTS{alertname=~"FlipdErrors.*"})[400m:1m])'),
    ]),
    case("FlipdNoReplica, both are down", [
        series("up", "1 0x10"),
        series("up", "1 0x10", instance="b"),
    ], [
        silent("1m", "FlipdNoReplica"),
        says("2m", "FlipdNoReplica", {"severity": "critical"},
             "No replica of flipd answers Prometheus",
             "For a minute no admin port of job flipd has answered a scrape. Either all "
             "replicas are down, or Prometheus cannot reach them."),
    ]),
    case("FlipdNoReplica, none is known", [
        series("up", "1x10", job="other"),
    ], [
        fires("2m", "FlipdNoReplica"),
    ]),
    case("FlipdDown", [
        series("up", "1x20"),
        series("up", "1x3 0x17", instance="b"),
    ], [
        silent("5m", "FlipdDown"),
        says("6m", "FlipdDown", {**ALL, "instance": "b"},
             "The replica b is down",
             "Its admin port has not answered for two minutes. The other replicas carry "
             "its load."),
    ]),
    case("FlipdRestarts", [
        series("process_start_time_seconds", "100x3 200x3 300x3 400x10"),
    ], [
        silent("11m", "FlipdRestarts"),
        says("12m", "FlipdRestarts", ONE,
             "The replica a keeps restarting",
             "It has been started 3 times in 15 minutes."),
    ]),
    case("FlipdVersionsDiffer", [
        series("flipd_build_info", "1x90", version="0.2.0", revision="f00"),
        series("flipd_build_info", "1x90", instance="b", version="0.1.0", revision="ba5"),
    ], [
        silent("59m", "FlipdVersionsDiffer"),
        says("60m", "FlipdVersionsDiffer", ALL,
             "The replicas of flipd have different versions",
             "2 versions or revisions have run side by side for an hour: an upgrade was "
             "not finished."),
    ]),
    case("FlipdErrorsFast, a fiftieth fails", [
        infer("200", "0+98x100"),
        infer("503", "0+2x70 140x30"),
    ], [
        silent("2m", "FlipdErrorsFast"),
        says("70m", "FlipdErrorsFast", {**ALL, "severity": "critical"},
             "2% of the requests fail",
             "Within the last hour 2% of the requests for an inference got a 5xx, 503 "
             "included. The objective allows 0.1 %."),
        # The errors have ended, though they are still many of that hour's.
        silent("80m", "FlipdErrorsFast"),
    ]),
    case("FlipdErrorsSlow, a hundredth fails", [
        infer("200", "0+99x400"),
        infer("500", "0+1x400"),
    ], [
        silent("15m", "FlipdErrorsSlow"),
        silent("400m", "FlipdErrorsFast"),
        says("400m", "FlipdErrorsSlow", ALL,
             "1% of the requests have failed for hours",
             "Within the last six hours 1% of the requests for an inference got a 5xx, 503"
             " included. The objective allows 0.1 %."),
    ]),
    case("FlipdInternalErrors, the first 500", [
        failed("BACKEND", "0x15 1x30"),
        failed("REJECTED", "0+100x45"),
    ], [
        silent("15m", "FlipdInternalErrors"),
        says("16m", "FlipdInternalErrors", ONE,
             "The replica a has answered 500",
             "Within ten minutes about 1 requests got a 500. That is a fault of flipd or "
             "of its machine, never of the request."),
        silent("30m", "FlipdInternalErrors"),
    ]),
    case("FlipdRefusing, requests and connections", [
        infer("200", "0+900x20"),
        infer("503", "0+40x20"),
        rejected("queue_delay", "0+40x20"),
        rejected("crowd", "0+60x20"),
    ], [
        silent("5m", "FlipdRefusing"),
        says("10m", "FlipdRefusing", ALL,
             "flipd refuses 10% of what comes",
             "For five minutes limits of connections, memory or the queue have refused "
             "more than 1 % of the requests. There is more load than the replicas carry."),
    ]),
    case("FlipdQueueSlow", [
        staged("0.05", "0x30"),
        staged("0.1", "0+100x30"),
        staged("+Inf", "0+100x30"),
        # The other stages may take as long as they need.
        staged("0.1", "0x30", "move"),
        staged("+Inf", "0+100x30", "move"),
        series("flipd_limit_seconds", "0.1x30", option="max-queue-delay"),
    ], [
        silent("10m", "FlipdQueueSlow"),
        says("15m", "FlipdQueueSlow", {**ALL, "stage": "queue"},
             "Requests wait 99.5ms for a worker",
             "For ten minutes one request in a hundred has waited longer than half of "
             "--max-queue-delay. Past that limit requests are refused."),
    ]),
    case("FlipdQueueSlow, without a limit of the delay", [
        staged("10.0", "0+100x30"),
        staged("+Inf", "0+100x30"),
        series("flipd_limit_seconds", "Inf " * 21, option="max-queue-delay"),
    ], [
        silent("20m", "FlipdQueueSlow"),
    ]),
    case("FlipdWorkersBusy", [
        series("flipd_workers_busy", "0x20 2x20", kind="medium"),
        series("flipd_workers", "2x40", kind="medium"),
    ], [
        silent("34m", "FlipdWorkersBusy"),
        says("36m", "FlipdWorkersBusy", {**ONE, "kind": "medium"},
             "All workers of a are busy",
             "For ten minutes 100% of the threads for medium requests have been executing "
             "one."),
    ]),
    case("FlipdSlowClients", [
        rejected("body_timeout", "0+60x30"),
        rejected("header_timeout", "0+60x30", "b"),
    ], [
        silent("10m", "FlipdSlowClients"),
        says("15m", "FlipdSlowClients", ALL,
             "flipd cuts 2 slow connections a second",
             "For ten minutes more than one connection a second has been cut: too slow "
             "with its headers, its body or its reading, or too many from one address."),
    ]),
    case("FlipdCertificateExpires, ten days before", [
        series(EXPIRY, "867600x90"),
    ], [
        silent("59m", "FlipdCertificateExpires"),
        says("60m", "FlipdCertificateExpires", ONE,
             "The certificate of a ends in 10d 0h 0m 0s",
             "The certificate in use ends within 14 days, and no renewed one has been "
             "read."),
        silent("60m", "FlipdCertificateExpiresSoon"),
    ]),
    case("FlipdCertificateExpiresSoon, a day before; then it is renewed", [
        series(EXPIRY, "87000x20 7776000x20"),
    ], [
        silent("9m", "FlipdCertificateExpiresSoon"),
        says("10m", "FlipdCertificateExpiresSoon", {**ONE, "severity": "critical"},
             "The certificate of a ends in 1d 0h 0m 0s",
             "The certificate in use ends within two days. After that clients refuse to "
             "connect."),
        silent("30m", "FlipdCertificateExpiresSoon"),
    ]),
    case("FlipdReloadFailed", [
        series("flipd_last_reload_successful", "1 0x9", what="models"),
        series("flipd_last_reload_successful", "1x10", what="tls"),
    ], [
        silent("1m", "FlipdReloadFailed"),
        says("2m", "FlipdReloadFailed", {**ONE, "what": "models"},
             "a could not use its models files",
             "What was read before stays in use. The next start would fail."),
    ]),
    # A little below each threshold, and a little above it. Of sums each term is needed.
    case("a little below the thresholds", [
        series("flipd_connections", "84x60"),
        series("flipd_limit", "100x60", option="max-connections"),
        series("flipd_budget_bytes", "60x60", use="leased"),
        series("flipd_budget_bytes", "24x60", use="sockets"),
        series("flipd_budget_bytes", "100x60", use="limit"),
        series("process_resident_memory_bytes", "89x60"),
        series("flipd_memory_bytes", "100x60", term="limit"),
        # Nine tenths are passed now and then, not on the average.
        series("flipd_workers_busy", "75 100 " * 13 + "75", kind="medium"),
        series("flipd_workers", "100x26", kind="medium"),
        staged("0.04", "0x60"),
        staged("0.05", "0+100x60"),
        staged("+Inf", "0+100x60"),
        series("flipd_limit_seconds", "0.1x60", option="max-queue-delay"),
        series("flipd_limit_seconds", "0.01x60", option="idle-timeout"),
        infer("200", "0+5000x60"),
        rejected("queue_full", "0+30x60"),
        rejected("connections", "0+15x60"),
        rejected("body_timeout", "0+54x60"),
        series("flipd_log_dropped_total", "0+27x60"),
        series("flipd_log_held_back_total", "0+27x60"),
        series("up", "1x60"),
    ], [
        gives("60m", "max_over_time(count(ALERTS)[60m:1m])"),
    ]),
    case("a little above the thresholds", [
        series("flipd_connections", "86x60"),
        series("flipd_limit", "100x60", option="max-connections"),
        series("flipd_budget_bytes", "60x60", use="leased"),
        series("flipd_budget_bytes", "26x60", use="sockets"),
        series("flipd_budget_bytes", "100x60", use="limit"),
        series("process_resident_memory_bytes", "91x60"),
        series("flipd_memory_bytes", "100x60", term="limit"),
        series("flipd_workers_busy", "91x60", kind="medium"),
        series("flipd_workers", "100x60", kind="medium"),
        staged("0.05", "0x60"),
        staged("0.06", "0+100x60"),
        staged("+Inf", "0+100x60"),
        # The replica with the shortest limit refuses first.
        series("flipd_limit_seconds", "0.1x60", option="max-queue-delay"),
        series("flipd_limit_seconds", "1x60", instance="b", option="max-queue-delay"),
        infer("200", "0+4000x60"),
        series("flipd_http_requests_total", "0+1000x60", route="/v2/health/ready", code="200"),
        rejected("queue_full", "0+11x60"),
        rejected("queue_delay", "0+11x60"),
        rejected("inflight_bytes", "0+11x60"),
        rejected("connections", "0+11x60"),
        rejected("crowd", "0+11x60"),
        rejected("header_timeout", "0+16.5x60"),
        rejected("body_timeout", "0+16.5x60"),
        rejected("send_timeout", "0+16.5x60"),
        rejected("address_connections", "0+16.5x60"),
        series("flipd_log_dropped_total", "0+33x60"),
        series("flipd_log_held_back_total", "0+33x60"),
        series("up", "1x60"),
    ], [
        # A rate has a value from the second sample on.
        firing("4m"),
        firing("5m", *FULL),
        says("5m", "FlipdConnectionsFull", ONE,
             "86% of the connections of a are taken",
             "From 94 % of --max-connections on, connections that wait for a request are "
             "closed to make room."),
        says("5m", "FlipdBytesFull", ONE,
             "86% of the bytes in flight of a are taken",
             "At --max-inflight-bytes large requests are refused with 503; small ones are "
             "served on."),
        says("5m", "FlipdMemoryHigh", ONE,
             "a takes 91% of its memory",
             'The resident memory is near flipd_memory_bytes{term="limit"}, which is 90 % '
             "of the container's or the machine's. Past that the kernel may kill it."),
        firing("6m", *FULL, "FlipdRefusing"),
        gives("10m", 'count(ALERTS{alertstate="firing"})', {"{}": 5}),
        gives("11m", 'count(ALERTS{alertstate="firing"})', {"{}": 6}),
        firing("14m", *FULL, "FlipdRefusing", "FlipdQueueSlow"),
        # A rate over five minutes is whole after five.
        firing("15m", *FULL, "FlipdRefusing", "FlipdQueueSlow", "FlipdLogLost",
               "FlipdSlowClients"),
        says("15m", "FlipdLogLost", ONE,
             "a loses 1.1 log lines a second",
             "Lines are dropped because the log is not read fast enough, or held back "
             "because there are too many of a kind."),
    ]),
    case("certificates, an hour before and after each threshold", [
        series(EXPIRY, "1219200x70", instance="later"),
        series(EXPIRY, "1208400x70", instance="14 days"),
        series(EXPIRY, "182400x70", instance="over 2 days"),
        series(EXPIRY, "171600x70", instance="2 days"),
        series(EXPIRY, "1x70", job="other"),
    ], [
        gives("70m", 'count by (alertname, instance) (ALERTS{alertstate="firing"}) '
                     'unless ALERTS{alertname="FlipdNoReplica"}', {
            '{alertname="FlipdCertificateExpires", instance="14 days"}': 1,
            '{alertname="FlipdCertificateExpires", instance="over 2 days"}': 1,
            '{alertname="FlipdCertificateExpires", instance="2 days"}': 1,
            '{alertname="FlipdCertificateExpiresSoon", instance="2 days"}': 1,
            '{alertname="FlipdNoReplica"}': 1}),
    ]),
    case("FlipdRestarts, three within the last quarter of an hour", [
        series("process_start_time_seconds", "0 1x6 2x6 3x10"),
    ], [
        says("15m", "FlipdRestarts", ONE,
             "The replica a keeps restarting",
             "It has been started 3 times in 15 minutes."),
        silent("16m", "FlipdRestarts"),
    ]),
    case("FlipdVersionsDiffer, in the version alone or the revision alone", [
        series("flipd_build_info", "1x61 stale", version="0.2.0", revision="f00"),
        series("flipd_build_info", "1x150", instance="b", version="0.2.0", revision="ba5"),
        series("flipd_build_info", "_x70 1x80", version="0.1.0", revision="ba5"),
    ], [
        fires("61m", "FlipdVersionsDiffer"),
        rests("69m", "FlipdVersionsDiffer"),
        fires("150m", "FlipdVersionsDiffer"),
    ]),
    case("FlipdErrorsFast, where the errors of an hour become too many", [
        infer("200", "0+919x90"),
        # 81 a minute: 1.35 % of the hour after ten minutes, 1.485 % after eleven.
        infer("503", "0x60 81+81x30"),
        infer("400", "0+81x60 4860x30"),
    ], [
        silent("72m", "FlipdErrorsFast"),
        fires("73m", "FlipdErrorsFast"),
    ]),
    case("FlipdErrorsFast, where those of the last minutes become few", [
        infer("200", "0+950x120"),
        # 5 %, then 1.35 %, then 1.5 %.
        infer("503", "0+50x60 3013+13x19 3275+15x40"),
    ], [
        fires("60m", "FlipdErrorsFast"),
        rests("79m", "FlipdErrorsFast"),
        fires("95m", "FlipdErrorsFast"),
    ]),
    case("FlipdErrorsFast, the eleventh error", [
        infer("200", "0+100x10 1005+5x49 1259+9x30"),
        infer("503", "0x60 1+1x30"),
    ], [
        silent("72m", "FlipdErrorsFast"),
        fires("73m", "FlipdErrorsFast"),
    ]),
    case("FlipdErrorsSlow, where the errors of six hours become too many", [
        infer("200", "0+950x450"),
        infer("400", "0+50x360 18000x90"),
        # 50 a minute: 0.6 % of the six hours after 43.2 minutes.
        infer("503", "0x360 50+50x90"),
    ], [
        silent("418m", "FlipdErrorsSlow"),
        fires("419m", "FlipdErrorsSlow"),
    ]),
    case("FlipdErrorsSlow, where those of the last half hour become few", [
        infer("200", "0+995x460"),
        # 5 %, then 0.55 %, then 0.65 %.
        infer("503", "0+50x370 18505.5+5.5x34 18699+6.5x60"),
    ], [
        rests("404m", "FlipdErrorsSlow"),
        silent("432m", "FlipdErrorsSlow"),
        fires("445m", "FlipdErrorsSlow"),
    ]),
    case("FlipdErrorsSlow, the eleventh error", [
        infer("200", "0+1x360 361.5+1.5x60"),
        infer("503", "0x360 0.5+0.5x60"),
    ], [
        silent("395m", "FlipdErrorsSlow"),
        fires("397m", "FlipdErrorsSlow"),
    ]),
    case("FlipdInternalErrors, ten minutes long", [
        failed("BACKEND", "0x15 1x30"),
    ], [
        fires("25m", "FlipdInternalErrors"),
        rests("26m", "FlipdInternalErrors"),
    ]),
    case("FlipdInternalErrors, of two models, one behind a restart", [
        failed("BACKEND", "3x10 1x30"),
        failed("BACKEND", "0x10 1x30", model="onnx.ReverseSequence"),
    ], [
        says("15m", "FlipdInternalErrors", ONE,
             "The replica a has answered 500",
             "Within ten minutes about 2 requests got a 500. That is a fault of flipd or "
             "of its machine, never of the request."),
    ]),
    case("another service with the same metrics", [
        series("up", "1x70"),
        series("process_start_time_seconds", "0+1x70", job="other"),
        series("flipd_build_info", "1x70", "other", version="1", revision="1"),
        series("flipd_build_info", "1x70", "other", "b", version="2", revision="2"),
        failed("BACKEND", "0+1x70", job="other"),
        series("flipd_last_reload_successful", "0x70", job="other", what="tls"),
        series("flipd_log_dropped_total", "0+600x70", job="other"),
        series("flipd_log_held_back_total", "0+600x70", job="other"),
        series(EXPIRY, "1x70", job="other"),
    ], [
        gives("70m", "max_over_time(count(ALERTS)[70m:1m])"),
    ]),
]

if __name__ == "__main__":
    # Prometheus evaluates groups side by side; here the records come first.
    print(json.dumps({
        "rule_files": [f"{ROOT}/deploy/watch/rules.yaml"],
        "evaluation_interval": "1m",
        "group_eval_order": ["flipd-records", "flipd-replicas", "flipd-objective",
                             "flipd-load", "flipd-upkeep"],
        "tests": TESTS}, indent=1))
