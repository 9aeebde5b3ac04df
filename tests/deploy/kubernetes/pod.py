"""A Pod's life as the manifests of a Deployment say it: the daemon of the release build
with the arguments, probes and times of its container, on a host of its own (a network
namespace that test.sh has made), with its ConfigMap and Secrets mounted as kubelet
mounts them. What is not imitated: images, cgroups, the scheduler."""

import atexit
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import yaml

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
sys.path.append(f"{ROOT}/tests/integration/lib")
import host  # noqa: E402
from wire import true  # noqa: E402


class Manifests:
    def __init__(self, path):
        with open(path) as file:
            self.documents = [one for one in yaml.safe_load_all(file) if one]

    def get(self, kind, name=None):
        found = [one for one in self.documents if one["kind"] == kind and
                 name in (None, one["metadata"]["name"])]
        if len(found) != 1:
            raise KeyError(f"{len(found)} of {kind} {name or ''}")
        return found[0]


class Folder:
    """A mounted ConfigMap or Secret: files behind a link that changes in one step."""

    def __init__(self, path, files):
        self.path, self.version = path, 0
        os.makedirs(path)
        self.renew(files)
        for name in files:
            os.symlink(f"..data/{name}", os.path.join(path, name))

    def renew(self, files):
        self.version += 1
        version = f"..{self.version}"
        os.mkdir(os.path.join(self.path, version))
        for name, text in files.items():
            file = os.path.join(self.path, version, name)
            with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o440), "w") as out:
                out.write(text)
        os.symlink(version, os.path.join(self.path, "..data_tmp"))
        os.rename(os.path.join(self.path, "..data_tmp"), os.path.join(self.path, "..data"))


class Pod:
    """host: the namespace; address: its own. secrets: {name: {key: text}}."""

    def __init__(self, manifests, host, address, secrets=None):
        deployment = manifests.get("Deployment")
        self.spec = deployment["spec"]["template"]["spec"]
        self.container, = self.spec["containers"]
        self.ports = {one["name"]: one["containerPort"] for one in self.container["ports"]}
        self.host, self.address = host, address
        self.folders = self.mount(manifests, secrets or {})
        self.log = os.path.join(os.environ["work"], f"{host}.log")
        self.process = None

    def mount(self, manifests, secrets):
        """Under the paths of the manifest: test.sh has put a file system of its own at
        /etc/flipd."""
        folders = {}
        volumes = {one["name"]: one for one in self.spec.get("volumes", [])}
        for mount in self.container.get("volumeMounts", []):
            volume = volumes[mount["name"]]
            if "configMap" in volume:
                files = manifests.get("ConfigMap", volume["configMap"]["name"])["data"]
            else:
                source = volume["secret"]
                files = {item["path"]: secrets[source["secretName"]][item["key"]]
                         for item in source["items"]}
            if os.path.isdir(mount["mountPath"]):
                continue
            folders[mount["name"]] = Folder(mount["mountPath"], files)
        return folders

    def start(self):
        """Returns when the startup probe has succeeded, or has failed too often."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.host, os.environ["DAEMON"],
                 *self.container["args"]],
                stdin=subprocess.DEVNULL, stderr=log,
                env={"PATH": os.environ["PATH"], "FLIPD_HTTP_ADDRESS": "0.0.0.0",
                     "FLIPD_EXIT_TIMEOUT_SECS": "8"})
        atexit.register(self.kill)
        probe = self.container["startupProbe"]
        for _ in range(probe["failureThreshold"]):
            if self.probe("startupProbe"):
                return True
            if self.process.poll() is not None:
                break
            time.sleep(probe["periodSeconds"])
        return true(f"{self.host} did not start: {self.said()[-500:]}", False)

    def probe(self, name):
        probe = self.container[name]
        what = probe["httpGet"]
        url = f"http://{self.address}:{self.ports[what['port']]}{what['path']}"
        try:
            with urllib.request.urlopen(url, timeout=probe["timeoutSeconds"]) as reply:
                return reply.status == 200
        except OSError:
            return False

    def said(self):
        with open(self.log, errors="replace") as file:
            return file.read()[-2000:]

    def terminate(self):
        """preStop, SIGTERM, and SIGKILL when the grace period is over. Returns the exit
        code and the seconds that it took."""
        started = time.monotonic()
        grace = self.spec["terminationGracePeriodSeconds"]
        hook = self.container.get("lifecycle", {}).get("preStop")
        if hook:
            time.sleep(hook["sleep"]["seconds"])
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(started + grace - time.monotonic())
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        return code, time.monotonic() - started

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def secret_of_tls(folder, name):
    """What a Secret holds of a new certificate of `name`, which has signed itself."""
    cert, key = host.certificate(folder, name)
    with open(key) as one, open(cert) as other:
        text = other.read()
        return {"tls.key": one.read(), "tls.crt": text, "ca.crt": text}


def serial(address):
    """Of the certificate that is served."""
    text = subprocess.run(["openssl", "s_client", "-connect", address], capture_output=True,
                          text=True, input="").stdout
    found = re.search("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", text, re.S)
    return subprocess.run(["openssl", "x509", "-noout", "-serial"], check=True,
                          capture_output=True, text=True, input=found[0]).stdout
