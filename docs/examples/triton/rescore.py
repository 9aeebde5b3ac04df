"""Asks both ensembles of this folder for the scores of ten hypotheses, 4 KiB; compares them and
prints the times. Usage: rescore.py [HOST:PORT]"""
import array, http.client, json, sys, timeit
SYMBOL, WIDTH = 4232, 51  # start, end and padding are one symbol
lens = array.array("q", range(6, WIDTH + 1, 5))
hyps = array.array("q", [SYMBOL] * (len(lens) * WIDTH))
for row, size in enumerate(lens):
    for at in range(1, size - 1):
        hyps[row * WIDTH + at] = (row * 997 + at * 41) % SYMBOL
inputs = [("hyps", [len(lens), WIDTH], hyps), ("hyps_lens", [len(lens)], lens)]
triton = http.client.HTTPConnection((sys.argv + ["127.0.0.1:8000"])[1])
def ask(model):
    head = json.dumps({"parameters": {"binary_data_output": True}, "inputs": [
        {"name": name, "datatype": "INT64", "shape": shape,
         "parameters": {"binary_data_size": 8 * len(data)}} for name, shape, data in inputs]})
    triton.request("POST", f"/v2/models/{model}/infer",
                   head.encode() + b"".join(data.tobytes() for *_, data in inputs),
                   {"Inference-Header-Content-Length": len(head)})
    body = (answer := triton.getresponse()).read()
    if answer.status != 200: sys.exit(f"{model}: {body.decode()}")
    return body[int(answer.headers["Inference-Header-Content-Length"]):]
scores = ask("rescoring")
if scores != ask("rescoring_python"): sys.exit("the scores differ")
print("scores:", *(f"{one:.2f}" for one in array.array("f", scores)))
for model in "rescoring_python", "rescoring":
    times = sorted(timeit.repeat(lambda: ask(model), number=1, repeat=101))
    print(f"{model}: {1000 * times[50]:.2f} ms")
