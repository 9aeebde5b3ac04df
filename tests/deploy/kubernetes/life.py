"""One Pod from its start to its end, with everything mounted: probes, `helm test`'s own
script, a renewed certificate, the end within the grace period.

Usage: life.py MANIFESTS HOST ADDRESS"""

import os
import subprocess
import sys
import time

from pod import Manifests, Pod, secret_of_tls, serial
from wire import finish, true

MANIFESTS, HOST, ADDRESS = sys.argv[1:]
TOKEN = "Bearer s3cret"


def test_script(manifests, secrets):
    """The container of the test Pod, with its files, run on this machine; its Service's
    name leads to the Pod."""
    pod = next(one for one in manifests.documents if one["kind"] == "Pod")
    container, = pod["spec"]["containers"]
    variables = {}
    for one in container["env"]:
        if "value" in one:
            variables[one["name"]] = one["value"]
        else:
            source = one["valueFrom"]["secretKeyRef"]
            variables[one["name"]] = secrets[source["name"]][source["key"]]
    url = variables["URL"]
    host = url.split("//")[1].split(":")[0]
    with open("/etc/hosts", "a") as file:
        print(ADDRESS, host, file=file)
    if container.get("volumeMounts"):
        with open("/etc/flipd/tls/ca.crt", "w") as file:
            file.write(secrets["release-flipd-tls"]["ca.crt"])
    ran = subprocess.run([*container["command"], *container["args"]], capture_output=True,
                         text=True, env={"PATH": os.environ["PATH"], **variables})
    print(ran.stdout + ran.stderr)
    true("helm test's script", ran.returncode == 0 and "the answer is right" in ran.stdout)
    variables["TOKEN"] = "guess"
    wrong = subprocess.run([*container["command"], *container["args"]], capture_output=True,
                           text=True, env={"PATH": os.environ["PATH"], **variables})
    if any("valueFrom" in one for one in container["env"]):
        true("helm test's script sees a wrong token", wrong.returncode != 0)


def renewed(pod, secrets):
    """As cert-manager and kubelet renew a Secret: another version behind the link."""
    address = f"{ADDRESS}:{pod.ports['http']}"
    before = serial(address)
    files = secret_of_tls(os.environ["work"], "release-flipd.space.svc")
    pod.folders["tls"].renew({name: files[name] for name in ("tls.crt", "tls.key")})
    end = time.monotonic() + 20
    while serial(address) == before and time.monotonic() < end:
        time.sleep(0.2)
    true("the renewed certificate is served", serial(address) != before)
    print(f"seen    a renewed certificate is served {time.monotonic() - end + 20:.0f} s after it came")


manifests = Manifests(MANIFESTS)
secrets = {"flipd-token": {"token": TOKEN}, "other": {"key": "k"},
           "release-flipd-tls": secret_of_tls(os.environ["work"], "release-flipd.space.svc")}
pod = Pod(manifests, HOST, ADDRESS, secrets)
started = time.monotonic()
if pod.start():
    print(f"seen    ready {time.monotonic() - started:.1f} s after its start")
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        true(name, pod.probe(name))
    test_script(manifests, secrets)
    if "tls" in pod.folders:
        renewed(pod, secrets)
    code, took = pod.terminate()
    true(f"exit code {code}", code == 0)
    print(f"seen    ended {took:.1f} s after its deletion, of "
          f"{pod.spec['terminationGracePeriodSeconds']} s of grace")
finish()
