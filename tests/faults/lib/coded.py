"""Requests that are small on the wire and large behind it."""

import gzip
import json

import wire
from fault import PATH


def coded_zeros(datatype, count, size, parameters, headers=()):
    """A coded request whose tensor is zeros."""
    head = json.dumps({
        "parameters": parameters,
        "inputs": [{"name": "input", "datatype": datatype, "shape": [count, 1],
                    "parameters": {"binary_data_size": size}},
                   {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
                    "data": [count]}]}).encode()
    return wire.request("POST", PATH, gzip.compress(head + bytes(size)), [
        "Content-Encoding: gzip",
        f"Inference-Header-Content-Length: {len(head)}", *headers])
