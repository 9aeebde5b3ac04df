"""The runtime and the service of KServe, as its controller joins them: the daemon with the
arguments of both and the models file of the ConfigMap, asked by the name of the service.

Usage: kserve.py FOLDER"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

from pod import Folder, Manifests
from wire import finish, true

FOLDER, = sys.argv[1:]
FLIPD = "10.77.0.21"


def ready(url):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                return reply.status == 200
        except OSError:
            time.sleep(0.1)
    return true(f"{url} is not ready", False)


def ask(url, document):
    try:
        with urllib.request.urlopen(url, json.dumps(document).encode(), timeout=60) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as reply:
        return reply.code, json.loads(reply.read())


runtime = Manifests(f"{FOLDER}/runtime.yaml").get("ClusterServingRuntime")
manifests = Manifests(f"{FOLDER}/service.yaml")
service = manifests.get("InferenceService")
container, = runtime["spec"]["containers"]
model = service["spec"]["predictor"]["model"]
true("the runtime serves the model's format", model["modelFormat"]["name"] in
      [one["name"] for one in runtime["spec"]["supportedModelFormats"]])
true("the runtime speaks the model's protocol",
      model["protocolVersion"] in runtime["spec"]["protocolVersions"])
mount, = model["volumeMounts"]
Folder(mount["mountPath"], manifests.get("ConfigMap")["data"])
process = subprocess.Popen(["ip", "netns", "exec", "pod1", os.environ["DAEMON"],
                            *container["args"], *model["args"]], stdin=subprocess.DEVNULL)
try:
    probe = container["readinessProbe"]["httpGet"]
    ready(f"http://{FLIPD}:{probe['port']}{probe['path']}")
    url = (f"http://{FLIPD}:{container['ports'][0]['containerPort']}/v2/models/"
           f"{service['metadata']['name']}/infer")
    status, answer = ask(url, {"inputs": [
        {"name": "data", "datatype": "FP32", "shape": [3, 2], "data": [1, 10, 2, 20, 3, 30]},
        {"name": "axis", "datatype": "INT32", "shape": [1], "data": [0]}]})
    true(f"status {status}: {answer}", status == 200)
    true(f"the answer {answer}",
          answer.get("outputs", [{}])[0].get("data") == [3, 30, 2, 20, 1, 10])
    status, answer = ask(url, {"inputs": []})
    true(f"status {status}: {answer}", status == 400 and "error" in answer)
finally:
    process.kill()
    process.wait()
finish()
