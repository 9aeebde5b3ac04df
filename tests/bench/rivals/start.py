"""Starts model servers from temporary environments, each on one core and with
one process for the operator."""

import glob
import json
import os
import shutil
import urllib.error
import urllib.request

from servers import Failed, Server, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = "reverse_sequence"
PATH = f"/v2/models/{MODEL}/infer"
PATIENCE = 90  # seconds: imports take long


def is_ready(server, model=MODEL):
    url = f"http://127.0.0.1:{server.port}/v2/models/{model}/ready"
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


# malloc() keeps freed memory for the next request, as the daemon does:
# otherwise page faults of large bodies dominate a rival's time.
KEEP_MEMORY = {"MALLOC_ARENA_MAX": "1",
               "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
               "MALLOC_TRIM_THRESHOLD_": str(1 << 33)}

# Features that a server lacks.
LACKS = {("MLServer", "binary"): "its HTTP interface has no binary tensors "
                                 "(SeldonIO/MLServer issue 324)",
         ("MLServer", "shared"): "it has no shared memory"}


def environment(venv, **more):
    """An environment without the caller's Python settings, and with one thread
    for each library."""
    env = {"PATH": f"{venv}/bin:{os.environ['PATH']}", "VIRTUAL_ENV": venv,
           "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8",
           "PYTHONPATH": HERE, "PYTHONDONTWRITEBYTECODE": "1",
           "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
           **KEEP_MEMORY}
    env.update(more)
    return env


def start(bench, name, command, venv, core, port, env, ready=is_ready):
    return Server(name, command, bench.file(f"{name}.log"), core,
                  port, patience=PATIENCE, env=env, ready=ready)


TRITON_CONFIG = """
backend: "%s"
max_batch_size: 0
input [ { name: "input" data_type: TYPE_FP32 dims: [ -1, -1, -1 ] },
        { name: "sequence_lens" data_type: TYPE_INT64 dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ -1, -1, -1 ] } ]
instance_group [ { count: 1 kind: KIND_CPU } ]
parameters { key: "op" value: { string_value: "onnx.ReverseSequence" } }
"""


def _triton_home(venv):
    """The server from the wheel, with the stub of this Python copied beside
    it."""
    found = glob.glob(f"{venv}/lib/python3*/site-packages/pytriton/"
                      "tritonserver")
    if not found:
        raise Failed("the wheel holds no tritonserver")
    python = os.path.basename(glob.glob(f"{venv}/lib/python3*")[0])
    stub = os.path.join(found[0], "python_backend_stubs",
                        python.removeprefix("python"),
                        "triton_python_backend_stub")
    if not os.path.exists(stub):
        raise Failed(f"the wheel has no stub for {python}")
    placed = os.path.join(found[0], "backends/python", os.path.basename(stub))
    if not os.path.exists(placed):
        shutil.copy(stub, placed)
    return found[0]


def _triton_models(bench, name, backend):
    """A repository of one model."""
    models = bench.file(name)
    os.makedirs(f"{models}/{MODEL}/1", exist_ok=True)
    with open(f"{models}/{MODEL}/config.pbtxt", "w") as f:
        f.write(TRITON_CONFIG % backend)
    return models


def triton(bench, venv, core):
    home = _triton_home(venv)
    models = _triton_models(bench, "triton", "python")
    shutil.copy(f"{HERE}/service_triton.py", f"{models}/{MODEL}/1/model.py")
    shutil.copy(f"{HERE}/service_operator.py", f"{models}/{MODEL}/1/")
    return _start_triton(bench, venv, core, "Triton", home, models,
                         f"{home}/backends")


def triton_c(bench, venv, core):
    """With flipd's backend, deploy/triton."""
    models = _triton_models(bench, "triton_c", "flip")
    return _start_triton(bench, venv, core, "Triton (C backend)",
                         _triton_home(venv), models,
                         bench.program("triton/backends"))


def triton_ensembles(bench, venv, core, scorer):
    """Those of docs/examples/triton; their scorer is its own, in "python", or
    that of programs/triton_scorer.c, in "c"."""
    home, work = _triton_home(venv), bench.file(f"ensembles_{scorer}")
    shutil.copytree(os.path.join(bench.root, "docs/examples/triton/models"),
                    f"{work}/models")
    shutil.copytree(bench.program("triton/backends"), f"{work}/backends")
    shutil.copytree(f"{home}/backends/python", f"{work}/backends/python")
    if scorer == "c":
        os.mkdir(f"{work}/backends/scorer")
        shutil.copy(bench.program("tests/bench/libbench_triton_scorer.so"),
                    f"{work}/backends/scorer/libtriton_scorer.so")
        config = f"{work}/models/scorer/config.pbtxt"
        with open(config) as f:
            text = f.read()
        with open(config, "w") as f:
            f.write(text.replace('"python"', '"scorer"'))
    return _start_triton(
        bench, venv, core, f"Triton, scorer in {scorer}", home,
        f"{work}/models", f"{work}/backends",
        lambda server: all(is_ready(server, model) for model in
                           ("rescoring", "rescoring_python")))


def _start_triton(bench, venv, core, name, home, models, backends,
                  ready=is_ready):
    packages = os.path.dirname(os.path.dirname(home))
    port, grpc_port = free_port(), free_port()
    env = environment(
        venv, PYTHONPATH=packages,
        LD_LIBRARY_PATH=os.path.join(packages, "nvidia_pytriton.libs"))
    server = start(
        bench, name,
        [f"{home}/bin/tritonserver", f"--model-repository={models}",
         f"--backend-directory={backends}", "--http-address=127.0.0.1",
         f"--http-port={port}", "--http-thread-count=1",
         "--grpc-address=127.0.0.1", f"--grpc-port={grpc_port}",
         "--allow-metrics=false"], venv, core, port, env, ready)
    server.grpc_port = grpc_port
    return server


def mlserver(bench, venv, core):
    port, folder = free_port(), bench.file("mlserver")
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/settings.json", "w") as f:
        json.dump({"host": "127.0.0.1", "http_port": port,
                   "grpc_port": free_port(), "metrics_port": free_port(),
                   "parallel_workers": 0, "debug": False}, f)
    with open(f"{folder}/model-settings.json", "w") as f:
        json.dump({"name": MODEL,
                   "implementation": "service_mlserver.ReverseSequence"}, f)
    return start(bench, "MLServer", [f"{venv}/bin/mlserver", "start", folder],
                 venv, core, port, environment(venv))


def kserve(bench, venv, core):
    port = free_port()
    return start(bench, "KServe",
                 [f"{venv}/bin/python", f"{HERE}/service_kserve.py",
                  str(port)], venv, core, port, environment(venv))


# Function and its environment.
STARTERS = ((triton, "triton"), (triton_c, "triton"), (mlserver, "mlserver"),
            (kserve, "kserve"))
