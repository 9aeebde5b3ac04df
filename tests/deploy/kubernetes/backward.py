"""The model between flipd and flipd in kserve/graph.yaml: a custom predictor for the
place where KServe's router hands one step's answer to the next as its request.

Usage: backward.py PORT
It takes flipd's answer, [steps, batch] in reverse order, adds the steps up, as the
state of a recurrent network adds up what it has read, and answers with the request
that puts the sums into the first order."""

import http.server
import json
import sys


def sums(tensor):
    steps, batch = tensor["shape"]
    state, out = [0] * batch, []
    for step in range(steps):
        row = tensor["data"][step * batch:(step + 1) * batch]
        state = [old + new for old, new in zip(state, row)]
        out += state
    return out


def request_for_flipd(answer):
    tensor = answer["outputs"][0]
    return {"inputs": [
        {"name": "data", "datatype": tensor["datatype"], "shape": tensor["shape"],
         "data": sums(tensor)},
        {"name": "axis", "datatype": "INT32", "shape": [1], "data": [0]}]}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        answer = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = json.dumps(request_for_flipd(answer)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *unused):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
