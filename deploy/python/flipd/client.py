"""A client of the Open Inference Protocol, version 2, over HTTP, with Triton's binary tensors and
system shared memory, for any server of it: flipd, Triton, OpenVINO Model Server, KServe and, with
binary=False, MLServer. It needs Linux and the standard library; with NumPy, tensors are arrays.

    client = Client("http://127.0.0.1:8000")
    y = client.infer("model", {"x": x, "n": [3, 2]})["y"]
"""
import contextlib, functools, io, json, math, mmap, os, re, select, socket, struct, threading
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
           for name in _SIZES if np}
_NAMES = {dtype: name for name, dtype in reversed(list(_DTYPES.items()))}  # uint16 is UINT16
_STATUS = re.compile(rb"HTTP/1\.([01]) ([2-9]\d\d)(?: ([^\r]*))?(?=\r|$)")
_HEADER = re.compile(rb"\r\n(connection|content-length|transfer-encoding|"
                     rb"inference-header-content-length):[ \t]*([^\r]*)")
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?\r\n", re.S)
_PIECE = 1 << 16  # bytes that are received at once; a longer head is refused
_encode = json.JSONEncoder(separators=(",", ":"), default=lambda value: value.tolist()).encode
_decode = json.JSONDecoder().decode
_quoted, _path = functools.lru_cache(1024)(_encode), functools.lru_cache(1024)(quote)  # of names


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
    """A tensor as the protocol has it: `data` is a flat list of its elements, or any buffer of its
    bytes, little-endian and row-major. For datatypes that NumPy lacks, for programs without it and,
    with the name of a registered `region` and the `offset` there, for shared memory."""

    def __init__(self, datatype, shape, data, region=None, offset=0):
        if isinstance(data, list):
            data = _pack(datatype, data)
        elif np and isinstance(data, np.ndarray):
            data = data.ravel().view(np.uint8)
        view = memoryview(data)
        self.data = view.cast("B") if view.nbytes else memoryview(bytearray())
        self.datatype, self.shape, self.part = datatype, tuple(map(int, shape)), None
        if region is not None:
            self.part = {"shared_memory_region": region, "shared_memory_offset": offset,
                         "shared_memory_byte_size": view.nbytes}
        if min(self.shape, default=0) < 0 or _size(datatype, shape, view.nbytes) != view.nbytes:
            raise ValueError(f"{datatype} {list(shape)} does not have {view.nbytes} bytes")

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
        if self.datatype != "BYTES":
            return np.frombuffer(self.data, _DTYPES[self.datatype]).reshape(self.shape)
        array = np.empty(math.prod(self.shape), object)
        array[:] = self.flat()
        return array.reshape(self.shape)

    def flat(self):
        """A list of the elements: numbers, or `bytes`."""
        count, values, end = math.prod(self.shape), [], 0
        if self.datatype != "BYTES":
            return list(struct.unpack_from(f"<{count}{_LETTERS[self.datatype]}", self.data))
        for _ in range(count):
            at = end + 4
            end = at + int.from_bytes(self.data[end:at], "little")
            _require(end <= len(self.data), "BYTES end inside an element")
            values.append(bytes(self.data[at:end]))
        return values


class Client:
    """A client of the server at `url`: http://HOST:PORT[/PATH], https://HOST:PORT[/PATH] or
    unix:PATH. Threads may share it, and processes that fork: each thread keeps a connection.
    The server may be silent for `timeout` seconds (None: for ever). `api_key` is sent as
    `Authorization: Bearer`. The default `ssl_context` trusts the system's certificates.

    Calls raise Error. Where a kept connection was closed before any byte of the answer came, the
    request is sent once more, on a new one, if that does no harm: a GET, and an inference, unless
    it has outputs in shared memory, which may be its inputs' too, or a `sequence_id`."""

    def __init__(self, url, *, timeout=60.0, api_key=None, headers=None, ssl_context=None):
        parts, secure = urlsplit(url), url.startswith("https:")
        _require(parts.hostname and parts.scheme in ("http", "https") or parts.scheme == "unix",
                 f"{url} is neither http://HOST:PORT nor https://HOST:PORT nor unix:PATH")
        if secure and ssl_context is None:
            import ssl
            ssl_context = ssl.create_default_context()
        address = parts.hostname and (parts.hostname, parts.port or (443 if secure else 80))
        self.url, self._prefix = url, parts.path.rstrip("/") if address else ""
        self._where = address or url[len("unix:"):], ssl_context if secure else None, timeout
        lines = {"Host": parts.netloc.rpartition("@")[2] or "localhost", **(headers or {}),
                 **({"Authorization": f"Bearer {api_key}"} if api_key else {})}
        self._lines = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        _require(len(re.split("[\r\n]+", self._lines)) == len(lines) + 1, "a header has two lines")
        self._local = threading.local()

    def infer(self, model, inputs, outputs=None, parameters=None, id=None, binary=True):
        """Returns the outputs of a model, NAME or NAME/versions/VERSION, as a Result. `inputs` are
        arrays, lists or Tensors by name. `outputs` are names, or by name None or a Tensor: the
        output is received into its memory, or written there by the server where it is a region's.
        `binary` is the form of the tensors in both directions; otherwise it is JSON."""
        places = outputs if hasattr(outputs, "keys") else dict.fromkeys(outputs or ())
        rooms = [place for place in places.values() if place]
        _require(not [0 for room in rooms if room.data.readonly], "an output's memory is read-only")
        more, parts, entries = dict(parameters or {}), [b""], []
        for name, value in inputs.items():
            tensor = Tensor.of(value)
            if tensor.part:
                place = f'"parameters":{_encode(tensor.part)}'
            elif binary:
                place = f'"parameters":{{"binary_data_size":{len(tensor.data)}}}'
                parts.append(tensor.data)
            else:
                _require(tensor.datatype in _LETTERS or tensor.datatype == "BYTES",
                         "a datatype has no JSON: use binary data")
                place = '"data":' + _encode([one.decode() if isinstance(one, bytes) else one
                                             for one in tensor.flat()])
            entries.append(f'{{"name":{_quoted(name)},"datatype":{_quoted(tensor.datatype)},'
                           f'"shape":{list(tensor.shape)},{place}}}')
        text = f'{{"inputs":[{",".join(entries)}]'  # by hand, as json takes twice as long
        if places:
            text += ',"outputs":[' + ",".join(
                f'{{"name":{_quoted(name)},"parameters":' + (
                    _encode(place.part) if place and place.part else
                    '{"binary_data":true}' if binary else "{}") + "}"
                for name, place in places.items()) + "]"
        elif binary:
            more.setdefault("binary_data_output", True)
        if more:
            text += ',"parameters":' + _encode(more)
        if id is not None:
            text += ',"id":' + _encode(id)
        parts[0] = (text + "}").encode()
        lines = f"Inference-Header-Content-Length: {len(parts[0])}\r\n" if parts[1:] else ""
        is_pure = not [0 for room in rooms if room.part] and "sequence_id" not in more
        return self._call("POST", f"/v2/models/{_path(model)}/infer", parts, lines, is_pure,
                          lambda *answer: _result(*answer, places),
                          rooms[0].data if len(rooms) == len(places) == 1 else None)

    def reverse_sequence(self, x, lens, *, batch_axis=1, time_axis=0, out=None):
        """flipd's ReverseSequence: reverses the first lens[b] steps of each sequence b. `out` is
        a Tensor for the output, as in infer(); in a region it may be x itself."""
        axes = {"batch_axis": batch_axis, "seq_axis": time_axis}
        return self.infer("openvino.ReverseSequence", {"data": x, "seq_lengths": lens},
                          {"output": out}, axes)["output"]

    def reverse(self, x, axes, *, out=None):
        """flipd's Reverse: reverses each of the axes as a whole."""
        inputs = {"data": x, "axis": Tensor("INT64", [len(axes)], list(axes))}
        return self.infer("openvino.Reverse", inputs, {"output": out}, {"mode": "index"})["output"]

    def live(self):
        """Whether the server says that it is alive."""
        return self._call("GET", "/v2/health/live")

    def ready(self, model=None):
        """Whether the server, or a model, says that it is ready."""
        return self._call("GET", f"/v2/{'models/' + quote(model) if model else 'health'}/ready")

    def metadata(self, model=None):
        return self.request("GET", f"/v2/models/{quote(model)}" if model else "/v2")

    def statistics(self, model=None):
        return self.request("GET", f"/v2/models/{quote(model) + '/' if model else ''}stats")

    @contextlib.contextmanager
    def region(self, size, *, prefix="tensors-", mode=0o600):
        """Shared memory, registered for the time of a `with`: region(datatype, shape, offset=0)
        is a Tensor there, for inputs and outputs, and its numpy() the array. Its name in /dev/shm
        begins with `prefix`; a server that runs as another user needs a `mode` like 0o666."""
        from tempfile import NamedTemporaryFile  # slow to import
        with NamedTemporaryFile(dir="/dev/shm", prefix=prefix, buffering=0) as file:
            os.fchmod(file.fileno(), mode)
            os.posix_fallocate(file.fileno(), 0, size)  # or SIGBUS later, if /dev/shm is full
            memory, name = memoryview(mmap.mmap(file.fileno(), size)), os.path.basename(file.name)
            self.register_shared_memory(name, "/" + name, size)
            try:
                yield lambda datatype, shape, offset=0, size=None: Tensor(  # BYTES need a size
                    datatype, shape, memory[offset:][:_size(datatype, shape, size)], name, offset)
            finally:
                self.unregister_shared_memory(name)

    def register_shared_memory(self, name, key, size, offset=0):
        """Gives a part of the object `key` of /dev/shm a name, for the `region` of a Tensor."""
        self.request("POST", f"/v2/systemsharedmemory/region/{quote(name, '')}/register",
                     {"key": key, "offset": offset, "byte_size": size})

    def unregister_shared_memory(self, name=None):
        """Takes one name back, or all."""
        region = f"region/{quote(name, '')}/" if name else ""
        self.request("POST", f"/v2/systemsharedmemory/{region}unregister")

    def shared_memory_status(self):
        return self.request("GET", "/v2/systemsharedmemory/status")

    def request(self, method, path, document=None):
        """GET or POST of any other route: the answer's JSON, or None if it is empty."""
        parts = [] if document is None else [_encode(document).encode()]
        return self._call(method, path, parts, "", method == "GET", _json)

    def close(self, *_):
        """Closes the connections, each when its thread's call has ended."""
        self._local = threading.local()

    def __enter__(self):
        return self

    __exit__ = close

    def _call(self, method, path, parts=(), lines="", repeats=True,
              read=lambda status, *_: status == 200, room=None):
        head = (f"{method} {self._prefix}{path} HTTP/1.1\r\n{self._lines}{lines}"
                f"Content-Length: {sum(map(len, parts))}\r\n\r\n").encode("latin-1")
        while True:
            kept = getattr(self._local, "connection", None)
            kept = kept if kept and kept.is_usable() else None
            try:
                self._local.connection = connection = kept or _Connection(*self._where)
                return read(*connection.ask([head, *parts], room))
            except Error:
                raise
            except (OSError, EOFError) as error:
                is_late = isinstance(error, (socket.timeout, BlockingIOError))
                if is_late or not (kept and repeats) or kept.heard:
                    text = "no answer in time" if is_late else error
                    raise Error(f"{self.url}: {text}") from error
            except Exception as error:
                raise Error(f"{self.url}: malformed answer: {error!r}") from error


class _Connection(io.RawIOBase):
    """A socket for one request at a time, and what a BufferedReader of the answer reads from."""

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
        self.process, self.stays, self.poll = os.getpid(), True, select.poll()
        self.poll.register(self.socket, select.POLLIN)
        self.is_tls = context is not None

    def is_usable(self):
        """Not if the server has closed it, or sent more than an answer; not after a fork."""
        return self.stays and self.process == os.getpid() and not self.poll.poll(0)

    def ask(self, parts, room):
        """Returns the answer's status, what stands in front of its tensors, and these, received
        into `room` if they have its size."""
        self.stays, self.heard, is_sent = False, False, False
        self.reader = reader = io.BufferedReader(self, _PIECE)
        try:
            try:
                sent = 0 if self.is_tls else self.socket.sendmsg(parts[:256])
                for part in parts:
                    if sent < len(part):
                        self.socket.sendall(memoryview(part)[max(sent, 0):])
                    sent -= len(part)
                is_sent = True
            except ConnectionError:
                pass  # the server may have answered before it closed
            head = b"HTTP/1.1 1"
            while head[8:10] == b" 1":  # 100 Continue and its like
                at = reader.peek().find(b"\r\n\r\n")
                head = reader.read(at + 4) if at > 0 else b"".join(iter(self.line, b"\r\n"))
            match, found = _STATUS.match(head), _HEADER.findall(head.lower())
            headers = dict(found)
            _require(match and len(headers) == len(found), "its head is not of HTTP/1.1")
            version, status, reason = match.groups()
            coding, length = headers.get(b"transfer-encoding"), headers.get(b"content-length")
            _require(not coding or coding == b"chunked" and not length, "its end is not clear")
            if not length:
                body = b"".join(self.chunks()) if coding else b"" if status == b"204" else (
                    reader.read())
                self.reader = io.BytesIO(body)
            size = int(length) if length else len(body)
            split = int(headers.get(b"inference-header-content-length", size))
            _require(0 <= split <= size, "a length of it is too large")
            text, data = self.take(split), self.take(size - split, room)
            option = headers.get(b"connection", b"" if version == b"1" else b"close")
            self.stays = is_sent and (coding or length) and b"close" not in option
            return int(status), text or (b"" if status < b"300" else reason), data
        finally:
            reader.detach()  # with what came behind the answer
            if not self.stays:
                self.close()

    def readable(self):
        return True

    def close(self):
        with contextlib.suppress(AttributeError):  # it was never opened
            self.socket.close()

    def readinto(self, view):
        size = self.socket.recv_into(view)
        self.heard = self.heard or size > 0
        return size

    def take(self, size, room=None):
        if room is None or len(room) != size:
            room = memoryview(np.empty(size, np.uint8) if np else bytearray(size))
        if self.reader.readinto(room) < size:
            raise EOFError("closed inside the answer")
        return room

    def line(self):
        line = self.reader.readline(_PIECE)
        if not line.endswith(b"\r\n"):
            raise EOFError(f"it ends with {line[:80]}" if line else "closed without an answer")
        return line

    def chunks(self):
        size = 1
        while size:
            match = _CHUNK.fullmatch(self.line())
            _require(match, "a chunk has no size")
            size = int(match[1], 16)
            yield self.take(size)
            _require(not size or self.line() == b"\r\n", "a chunk is longer than its size")
        while self.line() != b"\r\n":
            pass  # trailers


def _require(condition, text):
    if not condition:
        raise ValueError(text)


def _size(datatype, shape, size):
    return _SIZES[datatype] * math.prod(shape) if datatype in _SIZES else size


def _pack(datatype, values):
    while values and isinstance(values[0], list):  # nested, in JSON
        values = [one for row in values for one in row]
    if datatype != "BYTES":
        return bytearray(struct.pack(f"<{len(values)}{_LETTERS[datatype]}", *values))
    values = [one.encode() if isinstance(one, str) else memoryview(one) for one in values]
    return bytearray().join(struct.pack("<I", len(one)) + one for one in values)


def _json(status, text, *_):
    """The document of a good answer; raises what another one says, in the form it has."""
    if 200 <= status < 300:
        return _decode(str(text, "utf-8") or "null")
    text = str(text, "utf-8", "replace")
    with contextlib.suppress(ValueError, AttributeError, RecursionError):
        document = json.loads(text)
        text = document.get("error") or document.get("detail") or text
    raise Error(text[:1000] if isinstance(text, str) else _encode(text), status)


def _result(status, text, data, places):
    result, at = Result(), 0
    result.document = _json(status, text)
    for output in result.document["outputs"]:
        name, datatype, shape = output["name"], output["datatype"], output["shape"]
        place, size = places.get(name), (output.get("parameters") or {}).get("binary_data_size")
        if place and place.part:
            part = place.data[:_size(datatype, shape, None)]
        elif size is None:
            part = _pack(datatype, output.get("data", []))
        else:
            part, at = data[at:at + size], at + size
        if place and not place.part and data.obj is not place.data.obj:
            place.data[:] = part
            part = place.data
        if datatype in _DTYPES:  # as Tensor.numpy()
            result[name] = array = np.frombuffer(part, _DTYPES[datatype]).reshape(shape)
            _require(list(array.shape) == shape, "a shape is negative")
        else:
            tensor = Tensor(datatype, shape, part)
            result[name] = tensor.numpy() if np and datatype == "BYTES" else tensor
    _require(at == len(data) and places.keys() <= result.keys(), "outputs are missing")
    return result
