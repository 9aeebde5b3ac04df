"""The grammar of /metrics: every sample follows its HELP and TYPE, no series
is repeated, and histograms are consistent."""

import re

from wire import ask, equal, fail, finish, true

SAMPLE = re.compile(
    r'([a-zA-Z_:][a-zA-Z0-9_:]*)((?:\{(?:[a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)+\})?)'
    r' (-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)')
EXPECTED = {
    "flipd_http_requests_total": "counter",
    "flipd_http_request_duration_seconds": "histogram",
    "flipd_infer_stage_duration_seconds": "histogram",
    "flipd_bytes_total": "counter",
    "flipd_rejected_total": "counter",
    "flipd_connections": "gauge",
    "flipd_inflight_bytes": "gauge",
    "flipd_queue_depth": "gauge",
    "flipd_queue_lane_depth": "gauge",
    "flipd_workers": "gauge",
    "flipd_workers_busy": "gauge",
    "flipd_limit": "gauge",
    "flipd_limit_bytes": "gauge",
    "flipd_limit_seconds": "gauge",
    "flipd_last_reload_success_timestamp_seconds": "gauge",
    "flipd_last_reload_successful": "gauge",
    "flipd_log_dropped_total": "counter",
    "flipd_log_held_back_total": "counter",
    "flipd_build_info": "gauge",
    "flipd_simd_info": "gauge",
    "nv_inference_request_success": "counter",
    "nv_inference_request_failure": "counter",
    "nv_inference_count": "counter",
    "nv_inference_exec_count": "counter",
    "nv_inference_request_duration_us": "counter",
    "nv_inference_queue_duration_us": "counter",
    "nv_inference_compute_input_duration_us": "counter",
    "nv_inference_compute_infer_duration_us": "counter",
    "nv_inference_compute_output_duration_us": "counter",
    "nv_inference_pending_request_count": "gauge",
    "process_resident_memory_bytes": "gauge",
    "process_cpu_seconds_total": "counter",
    "process_open_fds": "gauge",
    "process_start_time_seconds": "gauge",
}


def read(lines):
    """{family: type}, {(name, labels): value}"""
    types, helps, samples, family = {}, set(), {}, None
    for line in lines:
        if line.startswith("# HELP "):
            helps.add(line.split()[2])
        elif line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            true(f"{family} has two TYPE lines", family not in types)
            types[family] = kind
        elif match := SAMPLE.fullmatch(line):
            name, labels, value = match.groups()
            base = re.sub("_(bucket|sum|count)$", "", name) \
                if types.get(family) == "histogram" else name
            equal(f"family of {line}", family, base)
            true(f"{line} stands twice", (name, labels) not in samples)
            samples[name, labels] = float(value)
        else:
            fail(f"not Prometheus text: {line!r}")
    equal("families with HELP", set(types), helps)
    return types, samples


def check_histogram(name, samples):
    series = {}
    for (sample, labels), value in samples.items():
        if sample == name + "_bucket":
            others, le = re.fullmatch(r'\{(.*),le="([^"]*)"\}', labels).groups()
            series.setdefault(others, []).append((float(le), value))
    for labels, buckets in series.items():
        equal(f"{name} {labels}: bounds and counts grow",
              sorted(buckets), buckets)
        equal(f"{name} {labels}: counts grow",
              sorted(v for _, v in buckets), [v for _, v in buckets])
        equal(f"{name} {labels}: last bound", float("inf"), buckets[-1][0])
        equal(f"{name} {labels}: count", buckets[-1][1],
              samples[f"{name}_count", f"{{{labels}}}"])
        true(f"{name} {labels}: no sum",
             samples[f"{name}_sum", f"{{{labels}}}"] >= 0)


def main():
    ask("GET", "/v2/health/live")
    reply = ask("GET", "/metrics", headers=[
        "Accept: application/openmetrics-text;q=0.6,text/plain;q=0.5"])
    equal("status", 200, reply.status)
    true(f"content type {reply.header('content-type')}",
         reply.header("content-type").startswith("text/plain; version=0.0.4"))
    text = reply.body.decode()
    true("no newline at the end", text.endswith("\n"))
    types, samples = read(text.splitlines())
    for family, kind in EXPECTED.items():
        equal(f"type of {family}", kind, types.get(family))
    check_histogram("flipd_http_request_duration_seconds", samples)
    check_histogram("flipd_infer_stage_duration_seconds", samples)
    head = ask("HEAD", "/metrics")
    equal("HEAD: status", 200, head.status)
    equal("HEAD: type", reply.header("content-type"),
          head.header("content-type"))
    finish()


main()
