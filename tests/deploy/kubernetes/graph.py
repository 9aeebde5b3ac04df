"""kserve/graph.yaml by KServe's own router: two Pods of flipd as kserve/runtime.yaml and
service.yaml make one, and the model in the middle (backward.py).

Usage: graph.py KSERVE-FOLDER ROUTER

KServe's controller is not run. What it would do is done here: the container's arguments
of runtime and service one after the other, the model's name in the path, and the
Service's address for `serviceName`."""

import json
import os
import subprocess
import sys
import time
import urllib.request

import yaml

from pod import Folder, Manifests, check, finish

FOLDER, ROUTER = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
FLIPD, MODEL = "10.77.0.21", 9000
processes = []


def run(*command):
    processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL))


def ready(url):
    end = time.monotonic() + 15
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=1) as reply:
                return reply.status == 200
        except OSError:
            time.sleep(0.1)
    return check(f"{url} is not ready", False)


def flipd():
    runtime = Manifests(f"{FOLDER}/runtime.yaml").get("ClusterServingRuntime")
    service = Manifests(f"{FOLDER}/service.yaml")
    container, = runtime["spec"]["containers"]
    model = service.get("InferenceService")["spec"]["predictor"]["model"]
    check("the runtime serves the model's format", model["modelFormat"]["name"] in
          [one["name"] for one in runtime["spec"]["supportedModelFormats"]])
    check("the runtime speaks the model's protocol",
          model["protocolVersion"] in runtime["spec"]["protocolVersions"])
    mount, = model["volumeMounts"]
    Folder(mount["mountPath"], service.get("ConfigMap")["data"])
    run("ip", "netns", "exec", "pod1", os.environ["DAEMON"], *container["args"], *model["args"])
    probe = container["readinessProbe"]["httpGet"]
    ready(f"http://{FLIPD}:{probe['port']}{probe['path']}")
    return container["ports"][0]["containerPort"]


def graph(port):
    """The graph with the addresses that the controller would put in."""
    spec = Manifests(f"{FOLDER}/graph.yaml").get("InferenceGraph")["spec"]
    services = {"reverse": f"http://{FLIPD}:{port}/v2/models/reverse/infer",
                "backward": f"http://127.0.0.1:{MODEL}/v2/models/backward/infer"}
    for step in spec["nodes"]["root"]["steps"]:
        step["serviceUrl"] = services[step.pop("serviceName")]
    spec.setdefault("routerTimeouts", {})
    return spec


def ask(document):
    request = urllib.request.Request("http://127.0.0.1:8080/", json.dumps(document).encode(),
                                     {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as reply:
        return reply.code, json.loads(reply.read())


try:
    port = flipd()
    run(sys.executable, f"{HERE}/backward.py", str(MODEL))
    run(ROUTER, "--graph-json", json.dumps(graph(port)))
    ready("http://127.0.0.1:8080/readyz")
    # Two sequences of three steps; their sums, read from the last step on, in the order
    # of the steps: 1+2+3, 2+3, 3 and 10+20+30, 20+30, 30.
    status, answer = ask({"inputs": [
        {"name": "data", "datatype": "FP32", "shape": [3, 2], "data": [1, 10, 2, 20, 3, 30]},
        {"name": "axis", "datatype": "INT32", "shape": [1], "data": [0]}]})
    check(f"status {status}: {answer}", status == 200)
    check(f"the answer {answer}", answer.get("outputs", [{}])[0].get("data") == [6, 60, 5, 50, 3, 30])
    # A request that flipd refuses ends the graph with flipd's own words.
    status, answer = ask({"inputs": []})
    check(f"status {status}: {answer}", status == 400 and "error" in answer)
finally:
    for process in processes:
        process.kill()
        process.wait()
finish()
