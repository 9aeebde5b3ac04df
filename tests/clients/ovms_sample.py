"""A sample in the manner of OpenVINO Model Server's for its KServe API over
REST: health, metadata, and a loop of inferences from a .npy file, in JSON or
bytes, with tritonclient or by hand with requests.

Usage: ovms_sample.py ADDRESS FOLDER
"""

import argparse
import json
import struct
import sys
import time

import numpy as np
import requests
import tritonclient.http as httpclient

from check import equal, finish, ok, reverse_sequence, same


def options(address, folder):
    parser = argparse.ArgumentParser()
    parser.add_argument("--http_address", default="localhost")
    parser.add_argument("--http_port", default=8000, type=int)
    parser.add_argument("--model_name", default="openvino.ReverseSequence")
    parser.add_argument("--model_version", default="")
    parser.add_argument("--data_path")
    parser.add_argument("--lengths_path")
    parser.add_argument("--batchsize", default=4, type=int)
    parser.add_argument("--iterations", default=5, type=int)
    parser.add_argument("--timeout", default=10.0, type=float)
    host, port = address.rsplit(":", 1)
    return parser.parse_args([
        "--http_address", host, "--http_port", port,
        "--data_path", f"{folder}/data.npy",
        "--lengths_path", f"{folder}/lengths.npy"])


def make_files(args):
    images = np.arange(20 * 6 * 3, dtype=np.float32).reshape(20, 6, 3)
    lengths = (np.arange(20) % 7).astype(np.int32)
    np.save(args.data_path, images)
    np.save(args.lengths_path, lengths)
    return images, lengths


def health(client, args):
    ok("live", client.is_server_live())
    ok("ready", client.is_server_ready())
    ok("model ready", client.is_model_ready(args.model_name))
    equal("no model is not ready", False, client.is_model_ready("none"))
    for name in ("live", "ready"):
        reply = requests.get(f"{args.url}/v2/health/{name}", timeout=9)
        equal(name, 200, reply.status_code)


def metadata(client, args):
    server = client.get_server_metadata()
    equal("server", ["extensions", "name", "version"],
          sorted(set(server) & {"name", "version", "extensions"}))
    model = client.get_model_metadata(args.model_name)
    equal("model", (["1"], ["data", "seq_lengths"], ["output"]),
          (model["versions"], [i["name"] for i in model["inputs"]],
           [o["name"] for o in model["outputs"]]))
    by_hand = requests.get(f"{args.url}/v2/models/{args.model_name}",
                           timeout=9)
    equal("the same by hand", model, by_hand.json())


def with_tritonclient(client, args, images, lengths, binary):
    """As the samples do: batch after batch, with the time of each."""
    times = []
    for at in range(args.iterations):
        part = slice(at * args.batchsize, (at + 1) * args.batchsize)
        x, lens = images[part], lengths[part]
        inputs = [httpclient.InferInput("data", x.shape, "FP32"),
                  httpclient.InferInput("seq_lengths", lens.shape, "INT32")]
        inputs[0].set_data_from_numpy(x, binary_data=binary)
        inputs[1].set_data_from_numpy(lens, binary_data=binary)
        outputs = [httpclient.InferRequestedOutput("output",
                                                   binary_data=binary)]
        start = time.monotonic()
        results = client.infer(model_name=args.model_name, inputs=inputs,
                               outputs=outputs)
        times.append(time.monotonic() - start)
        same(f"iteration {at}, binary {binary}",
             reverse_sequence(x, lens, 1, 0), results.as_numpy("output"))
    ok("times", len(times) == args.iterations and min(times) > 0)


def by_hand(args, images, lengths):
    """A JSON header, then the tensors' bytes, as the samples for binary inputs
    put them together."""
    x, lens = images[:4], lengths[:4]
    head = json.dumps({
        "inputs": [
            {"name": "data", "shape": list(x.shape), "datatype": "FP32",
             "parameters": {"binary_data_size": x.nbytes}},
            {"name": "seq_lengths", "shape": [4], "datatype": "INT32",
             "parameters": {"binary_data_size": lens.nbytes}}],
        "outputs": [{"name": "output", "parameters": {"binary_data": True}}],
    }).encode()
    reply = requests.post(
        f"{args.url}/v2/models/{args.model_name}/infer", timeout=9,
        data=head + x.tobytes() + lens.tobytes(),
        headers={"Inference-Header-Content-Length": str(len(head)),
                 "Content-Type": "application/octet-stream"})
    size = int(reply.headers["Inference-Header-Content-Length"])
    described = json.loads(reply.content[:size])["outputs"][0]
    equal("output", ("output", [4, 6, 3], x.nbytes), (
        described["name"], described["shape"],
        described["parameters"]["binary_data_size"]))
    same("bytes", reverse_sequence(x, lens, 1, 0), np.frombuffer(
        reply.content[size:], np.float32).reshape(4, 6, 3))


def binary_strings(args):
    """Encoded images as BYTES: a length, then the file."""
    files = [b"\xff\xd8" + bytes([i] * (i + 1)) for i in range(6)]
    packed = b"".join(struct.pack("<I", len(f)) + f for f in files)
    head = json.dumps({"inputs": [
        {"name": "data", "shape": [2, 3], "datatype": "BYTES",
         "parameters": {"binary_data_size": len(packed)}},
        {"name": "seq_lengths", "shape": [2], "datatype": "INT32",
         "data": [3, 2]}], "outputs": [
             {"name": "output", "parameters": {"binary_data": True}}]})
    reply = requests.post(
        f"{args.url}/v2/models/{args.model_name}/infer", timeout=9,
        data=head.encode() + packed,
        headers={"Inference-Header-Content-Length": str(len(head))})
    size = int(reply.headers["Inference-Header-Content-Length"])
    want = [files[i] for i in (2, 1, 0, 4, 3, 5)]
    equal("files", b"".join(struct.pack("<I", len(f)) + f for f in want),
          reply.content[size:])


def rows_and_errors(args):
    """JSON that a person writes, and what is printed when it is wrong."""
    url = f"{args.url}/v2/models/{args.model_name}"
    document = {"id": "7", "inputs": [
        {"name": "data", "shape": [2, 3], "datatype": "INT32",
         "data": [[1, 2, 3], [4, 5, 6]]},
        {"name": "seq_lengths", "shape": [2], "datatype": "INT64",
         "data": [3, 2]}]}
    for path in ("infer", "versions/1/infer"):
        reply = requests.post(f"{url}/{path}", json=document, timeout=9)
        equal(path, ("7", [3, 2, 1, 5, 4, 6]),
              (reply.json()["id"], reply.json()["outputs"][0]["data"]))
    document["parameters"] = {"seq_axis": 0, "batch_axis": 1}
    document["inputs"][1].update(shape=[3], data=[2, 1, 2])
    reply = requests.post(f"{url}/infer", json=document, timeout=9)
    equal("axes", [4, 2, 6, 1, 5, 3], reply.json()["outputs"][0]["data"])
    document["parameters"] = {"time_axis": 0}
    reply = requests.post(f"{url}/infer", json=document, timeout=9)
    equal("ONNX's attribute", 400, reply.status_code)
    ok("ONNX's attribute", "time_axis" in reply.json()["error"], reply.text)
    reply = requests.post(f"{args.url}/v2/models/none/infer", json=document,
                          timeout=9)
    ok("no model", reply.status_code == 404 and reply.json()["error"]
       .startswith("Request for unknown model: 'none' "), reply.text)


def main():
    args = options(sys.argv[1], sys.argv[2])
    args.url = f"http://{args.http_address}:{args.http_port}"
    images, lengths = make_files(args)
    client = httpclient.InferenceServerClient(
        f"{args.http_address}:{args.http_port}",
        connection_timeout=args.timeout, network_timeout=args.timeout)
    health(client, args)
    metadata(client, args)
    for binary in (True, False):
        with_tritonclient(client, args, images, lengths, binary)
    client.close()
    by_hand(args, images, lengths)
    binary_strings(args)
    rows_and_errors(args)


main()
finish()
