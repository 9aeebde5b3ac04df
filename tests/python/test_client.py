#!/usr/bin/env python3
"""deploy/python/flipd/client.py, against a daemon and against servers that misbehave: as it is
with NumPy, where that is installed, and as it is without.

Usage: test_client.py DAEMON [OPTION...]    of unittest"""

import array
import contextlib
import importlib.util
import json
import mmap
import os
import shutil
import signal
import socket
import ssl
import struct
import sys
import tempfile
import threading
import time
import unittest
from multiprocessing import shared_memory

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.append(f"{ROOT}/tests/integration/lib")
import daemon  # noqa: E402
import wire  # noqa: E402

DAEMON = os.path.realpath(sys.argv[1]) if len(sys.argv) > 1 else None


def load(name, **modules):
    """The client, where `modules` are these: None stands for one that is not installed."""
    before = {module: sys.modules.get(module) for module in modules}
    sys.modules.update(modules)
    spec = importlib.util.spec_from_file_location(name, f"{ROOT}/deploy/python/flipd/client.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    for module, was in before.items():
        del sys.modules[module]
        if was:
            sys.modules[module] = was
    return loaded


plain = load("plain_client", numpy=None, ml_dtypes=None)
full = load("client")
np = full.np
needs_numpy = unittest.skipUnless(np, "NumPy is not installed")


def reverse(client, x, axes, out=None):
    """What flipd's Reverse makes of it, in the region of the Tensor `out` if there is one."""
    return client.infer("openvino.Reverse", {"data": x, "axis": axes}, {"output": out},
                        {"mode": "index"})["output"]


def answer(body=b"", *lines, status="200 OK"):
    return "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *lines, "", ""]
                       ).encode() + body


def inferred(data=struct.pack("<2f", 1, 2), datatype="FP32", shape=(2,), size=None, **more):
    """The answer to an inference, with its output `y` in binary form."""
    document = json.dumps({"model_name": "m", "outputs": [
        {"name": "y", "datatype": datatype, "shape": shape,
         "parameters": {"binary_data_size": len(data) if size is None else size}}],
        **more}).encode()
    return answer(document + data, f"Inference-Header-Content-Length: {len(document)}")


def chunked(*chunks, end=b"0\r\n\r\n"):
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(
        b"%x;name=value\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end


class Script:
    """A server that gives each connection its answers, one for a request, and then closes it."""

    def __init__(self, *connections):
        self.connections, self.requests = connections, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(wire.LIMIT)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)  # ends accept()
        self.thread.join()
        self.listener.close()

    def run(self):
        for answers in self.connections:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # the test has ended
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(wire.LIMIT)
                for reply in answers:
                    self.requests.append(self.read(connection))
                    if callable(reply):
                        reply(connection)
                    else:
                        connection.sendall(reply)

    def read(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 16) or b"\r\n\r\n"
        head, _, body = data.partition(b"\r\n\r\n")
        size = int(head.lower().partition(b"\r\ncontent-length: ")[2].split(b"\r\n")[0] or 0)
        while len(body) < size:
            body += connection.recv(1 << 20)
        return head + b"\r\n\r\n" + body


class Misbehaviour(unittest.TestCase):
    """What each answer makes of a call."""

    def call(self, *answers, client=plain, **options):
        with Script(*((one,) for one in answers)) as server:
            c = client.Client(server.url, **options)
            return c.infer("m", {"x": client.Tensor("FP32", [1], [1.0])})

    def refused(self, reply, text, status=None, **options):
        for client in (plain, full) if np else (plain,):
            with self.assertRaises(client.Error) as raised:
                self.call(reply, client=client, **options)
            self.assertEqual(raised.exception.status, status, raised.exception)
            self.assertIn(text, raised.exception.text)
            self.assertIn(text, str(raised.exception))

    def accepted(self, reply, **options):
        result = self.call(reply, **options)
        self.assertEqual(result["y"].flat(), [1, 2])
        self.assertEqual((result["y"].datatype, result["y"].shape), ("FP32", (2,)))
        return result

    def test_answers_of_other_servers(self):
        document = inferred().partition(b"\r\n\r\n")[2][:-8]
        text = json.dumps({"outputs": [{"name": "y", "datatype": "FP32", "shape": [2],
                                        "data": [[1], [2.0]]}]}).encode()
        self.accepted(inferred(id="7"))
        self.accepted(answer(text))
        self.accepted(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
                      + inferred())
        self.accepted(chunked(text[:7], text[7:]))
        self.accepted(chunked(text, end=b"0\r\nExpires: never\r\n\r\n"))
        self.accepted(chunked(document, struct.pack("<2f", 1, 2)).replace(
            b"\r\n\r\n", b"\r\ninference-header-content-length:%d\r\n\r\n" % len(document), 1))
        self.accepted(answer(text).replace(b"HTTP/1.1", b"HTTP/1.0"))
        self.accepted(answer(text, "Connection: close", status="200"))
        self.accepted(inferred().replace(b"Content-Length:", b"CONTENT-LENGTH:\t"))

    def test_answers_without_a_body(self):
        for reply in (answer(), b"HTTP/1.1 204 No Content\r\n\r\n", answer(b"null"), chunked()):
            with Script((reply,)) as server:
                self.assertIsNone(plain.Client(server.url).request("POST", "/v2/anything", {}))

    def test_broken_framing(self):
        good = inferred()
        self.refused(b"", "no answer")
        self.refused(b"HTT", "it ends with")
        self.refused(good[:30], "it ends with")
        self.refused(good[:-1], "closed inside")
        self.refused(good.replace(b"Content-Length: ", b"Content-Length: 9", 1), "closed inside")
        self.refused(b"SSH-2.0-OpenSSH_9\r\n\r\n", "not of HTTP/1.1")
        self.refused(b"HTTP/2 200\r\n\r\n", "not of HTTP/1.1")
        self.refused(b"HTTP/1.1 200 OK\n\n{}", "it ends with")
        self.refused(b"HTTP/1.1 200 OK\r\nX: " + b"x" * (1 << 17), "it ends with")
        self.refused(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * (1 << 15), "it ends with")
        self.refused(b"HTTP/1.1 200 OK\r\n\r\n{}", "its end is not clear")
        for length in (b"-1", b"x", b"", b"1, 2", b"9" * 30):
            self.refused(b"HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n{}" % length, "malformed")
        self.refused(answer(b"{}", "Content-Length: 3"), "malformed")
        self.refused(answer(b"{}", "Transfer-Encoding: chunked"), "its end is not clear")
        self.refused(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n{}", "is not clear")
        self.refused(answer(b"{}", "Inference-Header-Content-Length: 3"), "malformed")
        self.refused(answer(b"{}", "Inference-Header-Content-Length: -1"), "malformed")
        for size in (b"", b"-1", b"0x1", b"g", b"f" * 20):
            self.refused(chunked(end=size + b"\r\n\r\n"), "malformed")
        self.refused(chunked(end=b"5\r\nab"), "closed inside")
        self.refused(chunked(end=b"2\r\nabc\r\n0\r\n\r\n"), "a chunk is longer")
        self.refused(chunked(b"{}", end=b""), "it ends with")

    def test_broken_documents(self):
        for body in (b"", b"{", b"[]", b"{}", b"null", b'{"outputs": 1}', b'{"outputs": [{}]}',
                     b"\xff", b"[" * 100000,
                     b'{"outputs": [{"name": "y"}]}'):
            self.refused(answer(body), "malformed")
        for rest in (b'"shape": [1], "data": ["x"]', b'"shape": [1], "data": [1e99]',
                     b'"shape": 1, "data": [1]', b'"shape": [2], "data": [1]', b'"shape": [1]'):
            self.refused(answer(b'{"outputs": [{"name": "y", "datatype": "FP32", %s}]}' % rest),
                         "malformed")
        self.refused(inferred(shape=(3,)), "malformed")
        self.refused(inferred(shape=(-1, -2)), "malformed")
        self.refused(inferred(size=4, shape=(1,)), "malformed")
        self.refused(inferred(size=1 << 50), "malformed")
        self.refused(inferred(size=-8), "malformed")
        self.refused(inferred(size="8"), "malformed")
        self.refused(inferred(outputs=[]), "malformed")
        with Script((inferred(),)) as server, self.assertRaises(plain.Error):
            plain.Client(server.url).infer("m", {}, ["y", "z"])
        for elements in (b"\x05\0\0\0abc", b"\x05\0", b"\xff\xff\xff\xff"):
            with self.assertRaises((plain.Error, ValueError)):
                self.call(inferred(elements, "BYTES", (1,)))["y"].flat()

    def test_errors_of_servers(self):
        for body, text in ((b'{"error": "no such model"}', "no such model"),
                           (b'{"detail": "Not Found"}', "Not Found"),
                           (b'{"error": null}', '{"error": null}'),
                           (b'{"error": [{"loc": 1}]}', "[{'loc': 1}]"),
                           (b"<html>Bad Gateway</html>", "<html>Bad"),
                           (b'["error"]', '["error"]'), (b"\xff\xfe", "\ufffd"),
                           (b"", "Bad Request"), (b"[" * 100000, "[[")):
            self.refused(answer(body, status="400 Bad Request"), text, 400)
        self.refused(answer(status="400"), "", 400)
        self.refused(answer(b"busy", "Retry-After: 1", status="503 "), "busy", 503)
        self.refused(answer(b"", "Location: /", status="302 Found"), "Found", 302)
        self.refused(answer(b"x", status="404 No")[:-1], "closed inside")

    def test_a_refusal_before_the_body_is_read(self):
        def early(connection):
            connection.sendall(answer(b'{"error": "too large"}', "Connection: close",
                                      status="413 Content Too Large"))
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 20):
                pass

        class Hasty(Script):
            def read(self, connection):
                return connection.recv(100)

        with Hasty((early,)) as server, self.assertRaises(plain.Error) as raised:
            x = plain.Tensor("UINT8", [1 << 24], bytes(1 << 24))
            plain.Client(server.url).infer("m", {"x": x})
        self.assertEqual((raised.exception.status, raised.exception.text), (413, "too large"))

    def test_a_refusal_instead_of_the_body(self):
        """The connection breaks while the client sends; what came before is read all the same."""
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(folder + "/socket")
            listener.listen()

            def run():
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(answer(b'{"error": "too large"}', status="413 "))
            thread = threading.Thread(target=run)
            thread.start()
            client = plain.Client(f"unix:{folder}/socket")
            with self.assertRaises(plain.Error) as raised:
                client.infer("m", {"x": plain.Tensor("UINT8", [1 << 24], bytes(1 << 24))})
            thread.join()
        self.assertEqual((raised.exception.status, raised.exception.text), (413, "too large"))
        self.assertFalse(client._local.connection.stays)

    def test_silence(self):
        for reply in (b"", inferred()[:-4], inferred()[:20]):
            def hold(connection, reply=reply):
                connection.sendall(reply)
                connection.recv(1)
            self.refused(hold, "no answer in time", timeout=0.2)

    def test_nobody(self):
        with socket.create_server(("127.0.0.1", 0)) as s:
            url = f"http://127.0.0.1:{s.getsockname()[1]}"
        for where in (url, "unix:/nowhere/at/all"):
            with self.assertRaises(plain.Error) as raised:
                plain.Client(where).ready()
            self.assertIsNone(raised.exception.status)
            self.assertIn(where, str(raised.exception))


class Connections(unittest.TestCase):
    """When a connection is kept, and when a request is repeated."""

    def ask(self, client, **more):
        return client.infer("m", {"x": plain.Tensor("FP32", [1], [1.0])}, **more)

    def test_keeps_one(self):
        with Script((inferred(), answer(b"no", status="400 Bad"), inferred())) as server:
            client = plain.Client(server.url)
            self.ask(client)
            self.assertFalse(client.ready())
            self.ask(client)
        self.assertEqual(len(server.requests), 3)

    def test_leaves_one(self):
        """The second request gets the second answer, whatever stood behind the first."""
        two = answer(b"1") + answer(b"3")
        for first in (two, answer(b"1", "Connection: close"),
                      b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1",
                      answer(b"1", "Connection: Keep-Alive, Close")):
            with Script((first,), (answer(b"2"),)) as server:
                client = plain.Client(server.url)
                self.assertEqual(client.request("GET", "/a"), 1)
                self.assertFalse(client._local.connection.stays)
                server_has_closed(client)
                self.assertEqual(client.request("GET", "/b"), 2)
                self.assertEqual(len(server.requests), 2)

    def test_repeats_once(self):
        with Script((inferred(), b""), (inferred(),)) as server:
            client = plain.Client(server.url)
            self.ask(client)
            self.ask(client)
        self.assertEqual(len(server.requests), 3)
        self.assertEqual(server.requests[1], server.requests[2])

    def test_sees_that_one_is_closed(self):
        """So also what cannot be repeated is sent on a new one."""
        with Script((inferred(),), (answer(),)) as server:
            client = plain.Client(server.url)
            self.ask(client)
            server_has_closed(client)
            client.register_shared_memory("r", "/r", 8)
        self.assertEqual(len(server.requests), 2)

    def never_twice(self, connections, requests, call):
        with Script(*connections) as server:
            client = plain.Client(server.url)
            self.ask(client)
            with self.assertRaises(plain.Error):
                call(client)
            time.sleep(0.05)
        self.assertEqual(len(server.requests), requests)

    def test_repeats_no_more(self):
        region = plain.Tensor("FP32", [2], bytearray(8), "r", 0)
        calls = [lambda client: client.register_shared_memory("r", "/r", 8),
                 lambda client: self.ask(client, outputs={"y": region}),
                 lambda client: self.ask(client, parameters={"sequence_id": 1})]
        for call in calls:
            self.never_twice([(inferred(), b""), (inferred(),)], 2, call)
        self.never_twice([(inferred(), b""), (b"",), (inferred(),)], 3, self.ask)
        self.never_twice([(inferred(), b"H"), (inferred(),)], 2, self.ask)

        def impatient(client):
            client._local.connection.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 200000))
            self.ask(client)
        self.never_twice([(inferred(), lambda connection: connection.recv(1)), (inferred(),)], 2,
                         impatient)

    def test_first_one_is_not_repeated(self):
        with Script((b"",), (inferred(),)) as server:
            self.assertRaises(plain.Error, self.ask, plain.Client(server.url))
        self.assertEqual(len(server.requests), 1)

    def test_request_as_it_is_sent(self):
        with Script((inferred(),)) as server:
            url = server.url + "/below/"
            self.ask(plain.Client(url, headers={"Authorization": "Bearer k", "X-Request-Id": "i"}),
                     id="7", parameters={"a": 1}, outputs=["y"])
        head, _, body = server.requests[0].partition(b"\r\n\r\n")
        line, *lines = head.decode().split("\r\n")
        self.assertEqual(line, "POST /below/v2/models/m/infer HTTP/1.1")
        self.assertEqual(set(lines), {
            f"Host: {server.url[7:]}", "Authorization: Bearer k", "X-Request-Id: i",
            f"Inference-Header-Content-Length: {len(body) - 4}", f"Content-Length: {len(body)}"})
        self.assertEqual(json.loads(body[:-4]), {
            "id": "7", "parameters": {"a": 1},
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [1],
                        "parameters": {"binary_data_size": 4}}],
            "outputs": [{"name": "y", "parameters": {"binary_data": True}}]})
        self.assertEqual(body[-4:], struct.pack("<f", 1))

    def test_an_interrupted_send(self):
        """A signal makes the kernel take a part of the body; the rest follows."""
        class Slow(Script):
            def read(self, connection):
                time.sleep(0.6)
                return super().read(connection)

        x = array.array("I", range(6 << 20))
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        try:
            with Slow((inferred(),)) as server:
                signal.setitimer(signal.ITIMER_REAL, 0.2)
                plain.Client(server.url).infer("m", {"x": plain.Tensor("UINT32", [len(x)], x)})
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertTrue(server.requests[0].endswith(x.tobytes()))

    def test_wrong_arguments(self):
        for url in ("127.0.0.1:8000", "ftp://a", "http:///v2", ""):
            self.assertRaises(ValueError, plain.Client, url)
        self.assertRaises(ValueError, plain.Client, "http://a", headers={"A": "b\r\nC: d"})
        self.assertRaises(ValueError, plain.Client, "http://a", headers={"A": "b\nc"})
        self.assertRaises(ValueError, plain.Tensor, "FP32", [2], bytes(7))
        self.assertRaises(ValueError, plain.Client("http://a").infer, "m", {},
                          {"y": plain.Tensor("FP32", [2], bytearray(8))})


def server_has_closed(client):
    """Waits for the end of the kept connection to arrive, if there is one."""
    connection = client._local.connection
    if connection.stays:
        connection.poll.poll(1000 * wire.LIMIT)


class OfFlipd(unittest.TestCase):
    """Inferences and all other calls, by a daemon."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.server = daemon.Daemon(DAEMON, ["--allow-client-shm"])
        cls.server.start()
        cls.client = plain.Client("http://" + cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.server.folder.cleanup()
        shutil.rmtree(cls.folder)

    def test_health_and_documents(self):
        c = self.client
        self.assertEqual(c.request("GET", "/v2/health/live"), {"live": True})
        self.assertIs(c.ready(), True)
        self.assertIs(c.ready("openvino.Reverse"), True)
        self.assertIs(c.ready("none"), False)
        self.assertEqual(c.metadata()["name"], "flipd")
        self.assertEqual(c.metadata("openvino.Reverse")["name"], "openvino.Reverse")
        self.assertEqual(c.metadata("openvino.Reverse/versions/1")["versions"], ["1"])
        self.assertGreater(len(c.request("GET", "/v2/models/stats")["model_stats"]), 1)
        self.assertTrue(c.request("POST", "/v2/repository/index"))
        with self.assertRaises(plain.Error) as raised:
            c.metadata("none")
        self.assertEqual(raised.exception.status, 404)
        self.assertIn("unknown model: 'none'", raised.exception.text)

    def test_every_datatype(self):
        cases = {"BOOL": [True, False, True], "BYTES": [b"a", b"", "b\u00e4".encode()],
                 "FP16": [1.5, -2.0, 0.25], "FP32": [1.5, -2.0, 1e10], "FP64": [1e300, 0.1, -1.0],
                 "UINT64": [2 ** 64 - 1, 0, 1], "INT64": [-2 ** 63, 1, 2], "INT8": [-128, 0, 127],
                 "UINT8": [255, 0, 1], "INT16": [-2 ** 15, 0, 1], "UINT16": [2 ** 16 - 1, 0, 1],
                 "INT32": [-2 ** 31, 0, 1], "UINT32": [2 ** 32 - 1, 0, 1]}
        for datatype, values in cases.items():
            for binary in True, False:
                with self.subTest(datatype=datatype, binary=binary):
                    x = plain.Tensor(datatype, [3], values)
                    y = self.client.infer("openvino.Reverse", {"data": x, "axis": [0]},
                                          parameters={"mode": "index"}, binary=binary)["output"]
                    self.assertEqual((y.datatype, y.shape), (datatype, (3,)))
                    self.assertEqual(y.flat(), values[::-1])
        for datatype, data in (("BF16", b"abcdef"), ("COMPLEX64", bytes(range(24))),
                               ("FP8_E4M3", b"abc"), ("INT4", b"\x21\x03")):
            y = reverse(self.client, plain.Tensor(datatype, [3], data), [0])
            self.assertEqual((y.datatype, y.shape, len(y.data)), (datatype, (3,), len(data)))
        self.assertRaises(ValueError, self.client.infer, "openvino.Reverse",
                          {"data": plain.Tensor("BF16", [1], b"ab"), "axis": [0]}, binary=False)

    def test_operators(self):
        x = plain.Tensor("INT32", [3, 2], [1, 2, 3, 4, 5, 6])
        y = self.client.infer("onnx.ReverseSequence", {"input": x, "sequence_lens": [3, 2]})["Y"]
        self.assertEqual(y.flat(), [5, 4, 3, 2, 1, 6])
        y = self.client.infer("openvino.ReverseSequence", {"data": x, "seq_lengths": [2, 1, 2]},
                              ["output"], {"batch_axis": 0, "seq_axis": 1})["output"]
        self.assertEqual(y.flat(), [2, 1, 3, 4, 6, 5])
        self.assertEqual(reverse(self.client, x, [-1, 0]).flat(), [6, 5, 4, 3, 2, 1])
        self.assertEqual(reverse(self.client, x, []).flat(), [1, 2, 3, 4, 5, 6])
        with self.assertRaises(plain.Error) as raised:
            reverse(self.client, x, [2])
        self.assertEqual(raised.exception.status, 400)
        self.assertIn("axis[0]", raised.exception.text)

    def test_document_of_an_answer(self):
        forward = self.client.infer("graiphic.ReverseSequence", {
            "input": plain.Tensor("FP32", [3, 1], [1, 2, 3]), "sequence_lens": [2]}, id="7")
        self.assertEqual((forward.document["id"], forward["Y"].flat()), ("7", [2, 1, 3]))
        backward = self.client.infer(
            "graiphic.ReverseSequenceGrad", {"dY": plain.Tensor("FP32", [3, 1], [1, 2, 3])}, ["dX"],
            {"lda_coeff": 2, **forward.document["parameters"]}, binary=False)
        self.assertEqual(backward["dX"].flat(), [4, 2, 6])

    def test_large(self):
        x = array.array("I", range(6 << 20))
        y = reverse(self.client, plain.Tensor("UINT32", [len(x)], x), [0])
        self.assertEqual(y.data, x[::-1].tobytes())

    def test_threads(self):
        failed = []

        def run(number):
            for _ in range(50):
                got = reverse(self.client, plain.Tensor("INT64", [2], [number, 0]), [0]).flat()
                if got != [0, number]:
                    failed.append((number, got))
        threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    def test_fork(self):
        """A child does not write into its parent's connection."""
        self.assertTrue(self.client.ready())
        socket_here = self.client._local.connection.socket
        child = os.fork()
        if child == 0:
            works = self.client.ready() and self.client._local.connection.socket is not socket_here
            os._exit(0 if works else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(self.client.ready())
        self.assertIs(self.client._local.connection.socket, socket_here)

    def test_close(self):
        with plain.Client(self.client.url) as c:
            self.assertTrue(c.ready())
        self.assertTrue(c.ready())
        c.close()

    def test_shared_memory_in_place(self):
        name = f"flipd-test-{os.getpid()}"
        with open(f"/dev/shm/{name}", "w+b") as file:
            self.addCleanup(os.remove, file.name)
            file.truncate(4096)
            memory = memoryview(mmap.mmap(file.fileno(), 4096))
        self.client.register_shared_memory(name, "/" + name, 4096)
        x = plain.Tensor("INT32", [3, 2], memory[:24], name)
        x.data[:] = struct.pack("<6i", *range(6))
        y = reverse(self.client, x, [0], out=x)
        self.assertEqual((y.shape, y.flat()), ((3, 2), [4, 5, 2, 3, 0, 1]))
        self.assertEqual(x.flat(), y.flat())
        z = plain.Tensor("INT32", [3, 2], memory[64:88], name, 64)
        reverse(self.client, x, [1], out=z)
        self.assertEqual(z.flat(), [5, 4, 3, 2, 1, 0])
        words = plain.Tensor("BYTES", [2], memory[128:140], name, 128)
        words.data[:] = plain.Tensor("BYTES", [2], ["a", "bcd"]).data
        self.assertEqual(reverse(self.client, words, [0], out=words).flat(), [b"bcd", b"a"])
        self.client.unregister_shared_memory(name)
        self.assertEqual(self.client.request("GET", "/v2/systemsharedmemory/status"), [])

    def test_shared_memory_of_others(self):
        memory, x = shared_memory.SharedMemory(create=True, size=4096), None
        try:
            self.client.register_shared_memory("a/b c", "/" + memory.name, 64, 4032)
            memory.buf[4032:4036] = b"abcd"
            x = plain.Tensor("UINT8", [4], memory.buf[4032:4036], "a/b c")
            self.assertEqual(bytes(reverse(self.client, x, [0]).data), b"dcba")
            self.assertRaises(plain.Error, self.client.register_shared_memory, "a/b c", "/x", 8)
            self.client.unregister_shared_memory("a/b c")
            self.assertEqual(self.client.request("GET", "/v2/systemsharedmemory/status"), [])
        finally:
            if x:
                x.data.release()
            memory.close()
            memory.unlink()

    def test_unix_socket(self):
        path = os.path.join(self.folder, "socket")
        with daemon.Daemon(DAEMON, [f"--http-address=unix:{path}"], current=False):
            c = plain.Client("unix:" + path)
            self.assertTrue(c.ready())
            self.assertEqual(reverse(c, plain.Tensor("UINT8", [3], b"abc"), [0]).data, b"cba")

    def test_tls_and_a_token(self):
        options = daemon.certificate(self.folder)
        options.append("--http-restricted-api=inference,metadata:Authorization=Bearer secret")
        with daemon.Daemon(DAEMON, options, current=False) as server:
            url = "https://localhost:" + server.address.rpartition(":")[2]
            context = ssl.create_default_context(cafile=os.environ["TLS_CA"])
            c = plain.Client(url, ssl_context=context,
                             headers={"Authorization": "Bearer secret"})
            self.assertEqual(reverse(c, plain.Tensor("UINT8", [3], b"abc"), [0]).data, b"cba")
            x = plain.Tensor("UINT8", [1 << 20, 2], b"ab" * (1 << 20))
            self.assertEqual(reverse(c, x, [1]).data, b"ba" * (1 << 20))
            with self.assertRaises(plain.Error) as raised:
                plain.Client(url, ssl_context=context).metadata()
            self.assertEqual(raised.exception.status, 401)
            with self.assertRaises(plain.Error) as raised:
                plain.Client(url).ready()
            self.assertIn("certificate", raised.exception.text.lower())


@needs_numpy
class WithNumpy(unittest.TestCase):
    """Arrays, by a daemon."""

    @classmethod
    def setUpClass(cls):
        cls.server = daemon.Daemon(DAEMON, ["--allow-client-shm"])
        cls.server.start()
        cls.client = full.Client("http://" + cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.server.folder.cleanup()

    def same(self, expected, got):
        self.assertEqual((expected.dtype, expected.shape), (got.dtype, got.shape))
        self.assertEqual(expected.tolist(), got.tolist())

    def test_arrays(self):
        for dtype in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                      "uint64", "float16", "float32", "float64", "complex64", "complex128"):
            x = np.arange(24).reshape(2, 3, 4).astype(dtype)
            for strided in (x, x[:, ::2], x.T):
                y = reverse(self.client, strided, [0])
                self.same(strided[::-1], y)
                y[...] = 0  # it is nobody else's memory
            if x.dtype.kind != "c":
                y = self.client.infer("openvino.Reverse", {"data": x, "axis": np.array([0])},
                                      parameters={"mode": "index"}, binary=False)
                self.same(x[::-1], y["output"])
        self.same(np.float32(3), reverse(self.client, np.float32(3), np.array([], int)))
        self.same(np.empty((0, 2)), reverse(self.client, np.empty((0, 2)), [0]))

    def test_bytes(self):
        words = [[b"a\0", "b\u00e4"], ["", b"d"]]
        for x in words, np.array(words, object):
            y = reverse(self.client, x, [1])
            self.assertEqual(y.tolist(), [["b\u00e4".encode(), b"a\0"], [b"d", b""]])
        self.assertEqual(reverse(self.client, np.array(["x", "yz"]), [0]).tolist(), [b"yz", b"x"])

    def test_bfloat16(self):
        x = full.Tensor("BF16", [3], np.array([1, 2, 3], np.uint16))
        y = reverse(self.client, x, [0])
        self.assertEqual(y.view(np.uint16).tolist(), [3, 2, 1])
        self.assertEqual(y.dtype, np.dtype(full.bfloat16))
        self.assertEqual(reverse(self.client, full.Tensor("INT4", [2], b"\x21"), [0]).data, b"\x12")

    def test_lists_and_numbers(self):
        x = np.arange(6, dtype=np.float32).reshape(3, 2)
        self.same(x[::-1], reverse(self.client, x, [np.int64(0)]))
        self.same(np.array([[3, 4], [1, 2]]), reverse(self.client, [[1, 2], [3, 4]], np.array([0])))
        self.assertRaises(ValueError, reverse, self.client, np.array(["2020"], "M8[Y]"), [0])
        self.assertRaises(ValueError, full.Tensor.of, x.astype(">f4"))

    def test_shared_memory(self):
        path = f"/dev/shm/flipd-test-{os.getpid()}"
        array = np.memmap(path, np.float32, "w+", shape=(3, 2))
        self.addCleanup(os.remove, path)
        array[...] = np.arange(6).reshape(3, 2)
        self.client.register_shared_memory("r", path[len("/dev/shm"):], array.nbytes)
        x = full.Tensor("FP32", [3, 2], array, "r")
        y = reverse(self.client, x, [0], out=x)
        self.assertTrue(np.shares_memory(y, array))
        self.same(np.array([[4, 5], [2, 3], [0, 1]], np.float32), y)
        self.client.unregister_shared_memory("r")


if __name__ == "__main__":
    if DAEMON is None:
        sys.exit(__doc__)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
