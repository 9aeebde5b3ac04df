"""A client of the Open Inference Protocol, version 2, over HTTP, with Triton's binary tensors and
system shared memory, for any server of it: flipd, Triton, OpenVINO Model Server, KServe and, with
binary=False, MLServer. It needs Linux and the standard library; with NumPy, tensors are arrays.

    client = Client("http://127.0.0.1:8000")
    y = client.infer("model", {"x": x, "n": [3, 2]})["y"]
"""

import contextlib
import json
import math
import os
import re
import select
import socket
import struct
import threading
import weakref
from urllib.parse import quote, urlsplit

try:
    import numpy as np
except ImportError:
    np = None
try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = "uint16"

_LETTERS = {"BOOL": "?", "INT8": "b", "INT16": "h", "INT32": "i", "INT64": "q", "UINT8": "B",
            "UINT16": "H", "UINT32": "I", "UINT64": "Q", "FP16": "e", "FP32": "f", "FP64": "d"}
_SIZES = {name: struct.calcsize("<" + letter) for name, letter in _LETTERS.items()}
_SIZES.update(BF16=2, COMPLEX64=8, COMPLEX128=16)
_DTYPES = {name: np.dtype(bfloat16 if name == "BF16" else name.lower().replace("fp", "float"))
           for name in [*_SIZES, "BYTES"] if np}
_NAMES = {dtype: name for name, dtype in reversed(list(_DTYPES.items()))}  # uint16 is UINT16

_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9]\d\d)(?: ([^\r]*))?(?=\r|$)")
_HEADER = re.compile(rb"\r\n(connection|content-length|transfer-encoding|"
                     rb"inference-header-content-length):[ \t]*([^\r]*)")
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?", re.S)
_PIECE = 1 << 16  # bytes that are received at once; a longer head is refused
_encode = json.JSONEncoder(separators=(",", ":"), default=lambda value: (
    value.decode() if isinstance(value, bytes) else value.tolist())).encode

_decode = json.JSONDecoder().decode


class Error(Exception):
    """A call failed: `text` is the server's sentence where it wrote one, and `status` the answer's,
    or None where no whole answer came, or none that the protocol allows."""

    def __init__(self, text, status=None):
        super().__init__(f"{status}: {text}" if status else text)
        self.status, self.text = status, text


class Result(dict):
    """The outputs by name: arrays, or a Tensor where NumPy is not installed or has no such type.
    `document` is the answer's JSON, with id, model_version and parameters."""


class Tensor:
    """A tensor as the protocol has it: `data` is a list of its elements, or any buffer of its
    bytes, little-endian and row-major. For datatypes that NumPy lacks, for programs without it and,
    with the name of a registered `region` and the `offset` there, for shared memory."""

    def __init__(self, datatype, shape, data, region=None, offset=0):
        if isinstance(data, list):
            data = _pack(datatype, data)
        elif np and isinstance(data, np.ndarray):
            data = data.ravel().view(np.uint8)
        self.datatype, self.shape = datatype, tuple(shape)
        self.data = memoryview(data).cast("B")
        size = len(self.data)
        expected = math.prod(self.shape) * _SIZES[datatype] if datatype in _SIZES else size
        if size != expected or min(self.shape, default=0) < 0:
            raise ValueError(f"{datatype} {list(shape)} does not have {size} bytes")
        self.place = region and {"shared_memory_region": region, "shared_memory_offset": offset,
                                 "shared_memory_byte_size": size}

    @classmethod
    def of(cls, value):
        """The tensor of an array or of nested lists; without NumPy, of a list of integers."""
        if isinstance(value, cls):
            return value
        if np is None:
            return cls("INT64", [len(value)], list(value))
        array = np.asarray(value)
        if array.dtype.kind in "OSU":
            return cls("BYTES", array.shape, np.asarray(value, object).ravel().tolist())
        if array.dtype not in _NAMES:
            raise ValueError(f"no datatype stands for {array.dtype!r}")
        return cls(_NAMES[array.dtype], array.shape, array)

    def numpy(self):
        """An array in the memory of `data`, but of BYTES; of BF16, uint16 without ml_dtypes."""
        if self.datatype == "BYTES":
            return np.array(self.flat(), object).reshape(self.shape)
        return np.frombuffer(self.data, _DTYPES[self.datatype]).reshape(self.shape)

    def flat(self):
        """A list of the elements: numbers, or `bytes`."""
        count = int(math.prod(self.shape))
        if self.datatype in _LETTERS:
            return list(struct.unpack(f"<{count}{_LETTERS[self.datatype]}", self.data))
        _require(self.datatype == "BYTES", f"{self.datatype} has no list and no JSON")
        values, end = [], 0
        for _ in range(count):
            start = end + 4
            end = start + int.from_bytes(self.data[end:start], "little")
            _require(end <= len(self.data), "BYTES end inside an element")
            values.append(bytes(self.data[start:end]))
        return values


class Client(contextlib.AbstractContextManager):
    """A client of the server at `url`: http://HOST:PORT[/PATH], https://HOST:PORT[/PATH] or
    unix:PATH. Threads may share it, and processes that fork: each thread keeps a connection.
    The server may be silent for `timeout` seconds (None: for ever). `headers` go with each
    request. The default `ssl_context` trusts the system's certificates.

    Calls raise Error. Where a kept connection was closed before any byte of the answer came, the
    request is sent once more, on a new one, if that does no harm: a GET, and an inference, unless
    it has outputs in shared memory, which may be its inputs' too, or a `sequence_id`."""

    def __init__(self, url, *, timeout=60.0, headers=None, ssl_context=None):
        parts = urlsplit(url)
        _require(parts.scheme == "unix" or parts.scheme in ("http", "https") and parts.hostname,
                 f"{url} is neither http://HOST:PORT nor https://HOST:PORT nor unix:PATH")
        address, self._prefix = url[len("unix:"):], ""
        if parts.scheme != "unix":
            address = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
            self._prefix = parts.path.rstrip("/")
        if parts.scheme == "https" and ssl_context is None:
            import ssl  # slow
            ssl_context = ssl.create_default_context()
        self._where = address, ssl_context if parts.scheme == "https" else None, timeout
        lines = {"Host": parts.netloc.rpartition("@")[2] or "localhost", **(headers or {})}
        self._lines = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        _require(len(re.split("[\r\n]+", self._lines)) == len(lines) + 1, "a header has two lines")
        self.url, self._local = url, threading.local()

    def infer(self, model, inputs, outputs=None, parameters=None, id=None, binary=True):
        """Returns the outputs of a model, NAME or NAME/versions/VERSION, as a Result. `inputs` are
        arrays, lists or Tensors by name; `outputs` are names, or by name None or a Tensor in a
        region, where the server writes it. `binary` is the form of all, otherwise JSON."""
        parameters, entries, tensors = dict(parameters or {}), [], []
        for name, value in inputs.items():
            tensor = Tensor.of(value)
            entry = {"name": name, "datatype": tensor.datatype, "shape": tensor.shape}
            if tensor.place:
                entry["parameters"] = tensor.place
            elif binary:
                entry["parameters"] = {"binary_data_size": len(tensor.data)}
                tensors.append(tensor.data)
            else:
                entry["data"] = tensor.flat()
            entries.append(entry)
        rooms = outputs if isinstance(outputs, dict) else dict.fromkeys(outputs or ())
        _require(all(room.place for room in rooms.values() if room), "an output is in no region")
        wanted = [{"name": name, "parameters": room.place if room else {"binary_data": binary}}
                  for name, room in rooms.items()]
        if binary and not wanted:
            parameters.setdefault("binary_data_output", True)
        document = {"id": id, "parameters": parameters, "inputs": entries, "outputs": wanted}
        text = _encode({key: value for key, value in document.items() if value}).encode()
        lines = f"Inference-Header-Content-Length: {len(text)}\r\n" if tensors else ""
        is_pure = not any(rooms.values()) and "sequence_id" not in parameters
        return self._call("POST", f"/v2/models/{quote(model)}/infer", [text, *tensors], lines,
                          is_pure, lambda *answer: _result(*answer, rooms))

    def ready(self, model=None):
        """Whether the server, or a model, says that it is ready."""
        path = f"models/{quote(model)}/ready" if model else "health/ready"
        return self._call("GET", "/v2/" + path, read=lambda status, *_: status == 200)

    def metadata(self, model=None):
        """What the server says of itself, or of a model."""
        return self.request("GET", f"/v2/models/{quote(model)}" if model else "/v2")

    def register_shared_memory(self, name, key, size, offset=0):
        """Gives a part of the object `key` of /dev/shm a name, for the `region` of a Tensor."""
        self.request("POST", f"/v2/systemsharedmemory/region/{quote(name, '')}/register",
                     {"key": key, "offset": offset, "byte_size": size})

    def unregister_shared_memory(self, name):
        """Takes the name back."""
        self.request("POST", f"/v2/systemsharedmemory/region/{quote(name, '')}/unregister")

    def request(self, method, path, document=None):
        """GET or POST of any other route: the answer's JSON, or None if it is empty."""
        parts = [] if document is None else [_encode(document).encode()]
        return self._call(method, path, parts, "", method == "GET", _document)

    def close(self, *_):
        """Closes the connections, each when its thread's call has ended."""
        self._local = threading.local()

    __exit__ = close

    def _call(self, method, path, parts=(), lines="", repeats=True, read=None):
        size = sum(map(len, parts))
        head = (f"{method} {self._prefix}{path} HTTP/1.1\r\n{self._lines}{lines}"
                f"Content-Length: {size}\r\n\r\n").encode("latin-1")
        message = [b"".join([head, *parts])] if size < _PIECE else [head, *parts]
        while True:  # at most twice
            kept = getattr(self._local, "connection", None)
            if kept and (not kept.stays or kept.process != os.getpid() or kept.poll.poll(0)):
                kept = None  # as the server closed it, or sent too much, or the process forked
            try:
                self._local.connection = connection = kept or _Connection(*self._where)
                return read(*connection.ask(message))
            except Error:
                raise
            except (socket.timeout, BlockingIOError) as error:
                raise Error(f"{self.url}: no answer in time") from error
            except (OSError, EOFError) as error:
                if not (kept and repeats) or kept.heard:
                    raise Error(f"{self.url}: {error}") from error
            except Exception as error:
                raise Error(f"{self.url}: malformed answer: {error!r}") from error


class _Connection:
    """A socket for one request at a time, and the bytes received that nobody has taken yet."""

    def __init__(self, address, context, timeout):
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address)
        else:
            self.socket = socket.create_connection(address, timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname=address[0])
        else:  # the kernel keeps the time, without a poll() before each call
            limit = struct.pack("ll", int(timeout or 0), int((timeout or 0) % 1 * 1e6))
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            self.socket.settimeout(None)
        self.buffer, self.process, self.stays, self.poll = b"", os.getpid(), True, select.poll()
        self.poll.register(self.socket, select.POLLIN)
        weakref.finalize(self, self.socket.close)

    def ask(self, parts):
        """Returns the answer's status, its JSON or other text, and the tensors behind that."""
        self.stays = self.heard = is_sent = False
        try:
            try:
                for part in parts:
                    self.socket.sendall(part)
                is_sent = True
            except ConnectionError:
                pass  # the server may have answered before it closed
            status = 100
            while status < 200:  # 100 Continue and its like
                head = self.until(b"\r\n\r\n")
                match, found = _STATUS.match(head), _HEADER.findall(head.lower())
                headers = dict(found)
                _require(match and len(headers) == len(found), "its head is not of HTTP/1.1")
                status = int(match[2])
            coding, length = headers.get(b"transfer-encoding"), headers.get(b"content-length")
            if coding == b"chunked" and length is None:
                body = b"".join(self.chunks())
                self.buffer, size = body + self.buffer, len(body)
            else:
                _require(not coding and (length or status == 204), "its end is not clear")
                size = int(length or 0)
            split = int(headers.get(b"inference-header-content-length", size))
            _require(0 <= split <= size, "a length of it is too large")
            text, data = self.take(split), self.take(size - split)
            option = headers.get(b"connection", b"" if match[1] == b"1" else b"close")
            self.stays = is_sent and b"close" not in option and not self.buffer
            return status, text or (b"" if status < 300 else match[3] or b""), data
        finally:
            if not self.stays:
                self.socket.close()

    def until(self, end):
        """What stands in front of `end`, which is taken too."""
        while end not in self.buffer:
            piece = self.socket.recv(_PIECE)
            if not piece or len(self.buffer) > _PIECE:
                raise EOFError(f"it ends with {self.buffer[:80]}" if self.heard else "no answer")
            self.buffer += piece
            self.heard = True
        text, _, self.buffer = self.buffer.partition(end)
        return text

    def take(self, size):
        """The next bytes, in memory of their own."""
        room = memoryview(np.empty(size, np.uint8) if np and size > _PIECE else bytearray(size))
        at = min(size, len(self.buffer))
        room[:at], self.buffer = self.buffer[:at], self.buffer[at:]
        while at < size:
            count = self.socket.recv_into(room[at:])
            if count == 0:
                raise EOFError("closed inside the answer")
            at += count
        return room

    def chunks(self):
        while size := int(_CHUNK.fullmatch(self.until(b"\r\n"))[1], 16):
            yield self.take(size)
            _require(self.take(2) == b"\r\n", "a chunk is longer than its size")
        while self.until(b"\r\n"):
            pass  # trailers


def _require(condition, text):
    if not condition:
        raise ValueError(text)


def _pack(datatype, values):
    while values and isinstance(values[0], list):  # nested, in JSON
        values = [one for row in values for one in row]
    if datatype != "BYTES":
        return bytearray(struct.pack(f"<{len(values)}{_LETTERS[datatype]}", *values))
    values = [one.encode() if isinstance(one, str) else memoryview(one) for one in values]
    return bytearray().join(struct.pack("<I", len(one)) + one for one in values)


def _document(status, text, *_):
    """The document of a good answer; raises what another one says."""
    if 200 <= status < 300:
        return _decode(str(text, "utf-8") or "null")
    text = str(text, "utf-8", "replace")
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
        text = _decode(text)["error"] or text
    raise Error(str(text)[:1000], status)


def _result(status, text, data, rooms):
    result, at = Result(), 0
    result.document = _document(status, text)
    for output in result.document["outputs"]:
        name, datatype, shape = output["name"], output["datatype"], output["shape"]
        size = (output.get("parameters") or {}).get("binary_data_size")
        if rooms.get(name):
            part = rooms[name].data
        elif size is None:
            part = output.get("data", [])
        else:
            part, at = data[at:at + size], at + size
        tensor = Tensor(datatype, shape, part)
        result[name] = tensor.numpy() if datatype in _DTYPES else tensor
    _require(at == len(data) and rooms.keys() <= result.keys(), "outputs are missing")
    return result
