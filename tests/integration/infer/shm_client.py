"""A client of shared memory: its objects, and requests that use them."""

import json
import mmap
import os

from wire import ask, equal

FOLDER = "/dev/shm"
made = []


class Object:
    def __init__(self, name, size, folder=None, mapped=True):
        self.key = f"/flipd-test-{os.getpid()}-{name}"
        self.path = (folder or FOLDER) + self.key
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        made.append(self)
        self.size = size
        os.ftruncate(self.fd, size)
        self.memory = mmap.mmap(self.fd, size) if mapped else None

    def cut(self, size):
        os.ftruncate(self.fd, size)

    def remove(self):
        if os.path.exists(self.path):
            os.unlink(self.path)


def clean():
    for thing in made:
        thing.remove()


def route(verb, region=None):
    where = f"region/{region}/" if region else ""
    return f"/v2/systemsharedmemory/{where}{verb}"


def register(region, key, size, offset=None):
    body = {"key": key, "byte_size": size}
    if offset is not None:
        body["offset"] = offset
    return ask("POST", route("register", region), json.dumps(body).encode())


def unregister(region=None):
    return ask("POST", route("unregister", region))


def status(region=None):
    return ask("GET", route("status", region))


def part_of(region, size, offset=0):
    return {"shared_memory_region": region, "shared_memory_byte_size": size,
            "shared_memory_offset": offset}


def infer(count, source, target, lens=None):
    """Reverses `count` elements; each tensor is given by parameters or data."""
    def tensor(name, datatype, shape, where):
        filled = "data" if isinstance(where, list) else "parameters"
        return {"name": name, "datatype": datatype, "shape": shape,
                filled: where}

    document = {"inputs": [
        tensor("input", "UINT8", [count, 1], source),
        tensor("sequence_lens", "INT64", [1], lens or [count])]}
    if target is not None:
        document["outputs"] = [{"name": "Y", "parameters": target}]
    return ask("POST", "/v2/models/onnx.ReverseSequence/infer",
               json.dumps(document).encode())


def refused(what, reply, status, *parts):
    equal(f"{what}: status ({reply.body[:200]})", status, reply.status)
    text = reply.json().get("error", "")
    for part in parts:
        equal(f"{what}: '{part}' in '{text}'", True, part in text)
    for secret in ("/dev/shm", "errno", "0x"):
        equal(f"{what}: {secret} in '{text}'", False, secret in text)
