"""`helm upgrade` as its Pods see it, under load: the Deployment's rolling update in the
order in which Kubernetes does it, with the times of the manifests, and a Service as
kube-proxy makes one (nftables: a new connection goes to any of the ready Pods, an open
one stays where it is).

  1. A new Pod starts (maxSurge); its startup and readiness probes succeed.
  2. The Service hears of it, late.
  3. After minReadySeconds an old Pod is deleted. At the same time, and in no order:
     the Service is told, and forgets it LATE seconds later; the Pod's preStop runs,
     then it gets SIGTERM.
  4. The next one, while the old one ends.

Usage: upgrade.py MANIFESTS OPEN_LOOP REQUEST"""

import re
import subprocess
import sys
import threading
import time

from pod import Manifests, Pod
from wire import finish, true

MANIFESTS, OPEN_LOOP, REQUEST = sys.argv[1:]
SERVICE = "10.96.0.1"
LATE = 2
HOSTS = {"pod1": "10.77.0.21", "pod2": "10.77.0.22", "pod3": "10.77.0.23", "pod4": "10.77.0.24"}

manifests = Manifests(MANIFESTS)
deployment = manifests.get("Deployment")["spec"]
port = next(one for one in manifests.documents if one["kind"] == "Service")["spec"]["ports"][0]["port"]


class Service:
    def __init__(self):
        self.endpoints, self.lock = [], threading.Lock()
        subprocess.run(["ip", "route", "add", f"{SERVICE}/32", "dev", "hosts"], check=True)

    def publish(self, add=(), remove=()):
        with self.lock:
            self.endpoints = [one for one in [*self.endpoints, *add] if one not in remove]
            targets = ", ".join(f"{number} : {pod.address} . {pod.ports['http']}"
                                for number, pod in enumerate(self.endpoints))
            rules = f"""
                add table ip service
                delete table ip service
                table ip service {{
                    chain output {{
                        type nat hook output priority -100;
                        ip daddr {SERVICE} tcp dport {port} dnat ip to numgen random mod {len(self.endpoints)} map {{ {targets} }}
                    }}
                }}"""
            subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=True)


def pod(host):
    one = Pod(manifests, host, HOSTS[host])
    one.start()
    true(f"{host} is ready", one.probe("readinessProbe"))
    return one


def load(rate, seconds):
    """Requests a second that were answered; how many were not, or not with 200."""
    out = subprocess.run([OPEN_LOOP, f"{SERVICE}:{port}", REQUEST, str(rate), str(seconds), "32"],
                         capture_output=True, text=True)
    print(out.stdout + out.stderr, flush=True)
    figures = dict(zip(*[iter(re.split(r"\s+", out.stdout.strip()))] * 2))
    return float(figures["good"]), figures


def delete(service, old, ends):
    """Steps of 3; both begin now."""
    def forget():
        time.sleep(LATE)
        service.publish(remove=[old])

    def end():
        ends.append((old.host, *old.terminate()))

    threads = [threading.Thread(target=forget), threading.Thread(target=end)]
    for one in threads:
        one.start()
    return threads


def upgrade(service, running):
    ends, threads = [], []
    for host in ("pod3", "pod4"):
        new = pod(host)
        time.sleep(1)
        service.publish(add=[new])
        time.sleep(deployment["minReadySeconds"])
        threads += delete(service, running.pop(0), ends)
        running.append(new)
    for thread in threads:
        thread.join()
    for host, code, took in ends:
        true(f"exit code of {host} is {code}", code == 0)
        print(f"seen    {host} ended {took:.1f} s after its deletion")


strategy = deployment["strategy"]["rollingUpdate"]
true("maxSurge 1, maxUnavailable 0", (strategy["maxSurge"], strategy["maxUnavailable"]) == (1, 0))
running, service = [pod("pod1"), pod("pod2")], Service()
service.publish(add=running)
peak, _ = load(0, 3)
rate = int(peak * 0.7)
results = []
client = threading.Thread(target=lambda: results.append(load(rate, 35)))
client.start()
time.sleep(2)
started = time.monotonic()
upgrade(service, running)
true("the load went on to the end of the update", time.monotonic() - started < 32)
client.join()
_, figures = results[0]
lost = {name: figures[name] for name in ("refused_all", "failed", "unanswered") if float(figures[name]) > 0}
true(f"not answered with 200: {lost}", not lost)
# Due before the end, but its 32 connections were busy: a machine with other work at that
# moment. More than a second's would be a service that does not keep up.
unsent = int(figures["unsent"])
true(f"{unsent} requests were due and not sent in time", unsent < rate)
print(f"seen    helm upgrade of 2 Pods at 70 % load ({rate} a second): {figures['answered']} requests, "
      f"{sum(float(one) for one in lost.values()):.0f} failed")
for one in running:
    one.terminate()
finish()
