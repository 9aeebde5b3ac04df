"""The calls of tritonclient other than inference, over HTTP or gRPC: `wire` is
one of triton_forms.py."""

from check import equal, ok, refused, settle

FIELDS = ["success", "fail", "queue", "compute_input", "compute_infer",
          "compute_output", "cache_hit", "cache_miss"]


async def every_call(client, wire):
    async def get(value):
        return wire.form(await settle(value))
    for part in (server, models, repository, statistics, logging):
        await part(client, wire, get)
    await refused("tracing", client.get_trace_settings, "no route")


async def server(client, wire, get):
    for call in (client.is_server_live, client.is_server_ready):
        equal(call.__name__, True, await settle(call()))
        equal(f"{call.__name__} with more", True,
              await settle(call(**wire.MORE)))
    metadata = await get(client.get_server_metadata())
    equal("the server's name", "flipd", metadata["name"])
    for name in ("binary_tensor_data", "model_configuration", "statistics",
                 "logging"):
        ok("extensions", name in metadata["extensions"], f"lack {name}")


async def models(client, wire, get):
    ready, metadata = client.is_model_ready, client.get_model_metadata
    equal("ready", True, await settle(ready("flip")))
    equal("ready, of a version", True, await settle(ready("flip", "1")))
    equal("another version", False, await settle(ready("flip", "2")))
    equal("another model", False, await settle(ready("flop")))
    about = await get(metadata("flip"))
    equal("metadata, of a version", about, await get(metadata("flip", "1")))
    equal("versions", ["1"], about["versions"])
    equal("inputs", [("input", "FP32", [-1, -1, 8]),
                     ("sequence_lens", "INT64", [-1])],
          [(i["name"], i["datatype"], i["shape"]) for i in about["inputs"]])
    equal("outputs", ["features"], [o["name"] for o in about["outputs"]])
    await refused("a version that is no number",
                  lambda: metadata("flip", "one"), wire.MISSING, "one")
    await refused("a name that needs quoting",
                  lambda: metadata("no such/model ü%2f"), wire.MISSING)
    config = await get(client.get_model_config("flip", "1"))
    equal("the config's inputs", [i["name"] for i in about["inputs"]],
          [i["name"] for i in config["input"]])
    equal("the config's types", ["TYPE_FP32", "TYPE_INT64", "TYPE_FP32"],
          [t["data_type"] for t in config["input"] + config["output"]])
    equal("the config's shape", [-1, -1, 8], config["input"][0]["dims"])
    equal("max_batch_size", 0, config["max_batch_size"])


async def repository(client, wire, get):
    index = await get(client.get_model_repository_index())
    ok("index", {"name": "flip", "version": "1", "state": "READY",
                 "reason": ""} in index, index)
    for call in (
        lambda: client.load_model("flip"),
        lambda: client.load_model("flip", config='{"name": "flip"}'),
        lambda: client.unload_model("flip"),
        lambda: client.unload_model("flip", unload_dependents=True),
    ):
        await refused("load and unload", call, wire.UNKNOWN,
                      "--models FILE")


async def statistics(client, wire, get):
    stats = client.get_inference_statistics
    every = (await get(stats()))["model_stats"]
    index = await get(client.get_model_repository_index())
    equal("statistics of all", sorted(m["name"] for m in index),
          sorted(m["name"] for m in every))
    for got in (await get(stats("flip")), await get(stats("flip", "1"))):
        equal("statistics of one", [("flip", "1")],
              [(m["name"], m["version"]) for m in got["model_stats"]])
        one = got["model_stats"][0]["inference_stats"]
        equal("fields", sorted(FIELDS), sorted(one))
        for field in one.values():
            equal("a field", ["count", "ns"], sorted(field))
    await refused("statistics of none", lambda: stats("flop"), wire.MISSING,
                  "flop")


async def logging(client, wire, get):
    look, update = client.get_log_settings, client.update_log_settings
    before = await get(look())
    equal("settings", ["log_error", "log_file", "log_format", "log_info",
                       "log_verbose_level", "log_warning"], sorted(before))
    changes = [{"log_info": False}, {"log_verbose_level": 1},
               {"log_format": "json"}]
    if wire.CLEARS:
        changes.append({"log_warning": None})
    for change in changes:
        got = await get(update(change))
        wanted = {k: v for k, v in change.items() if v is not None}
        equal(f"after {change}", {**got, **wanted}, got)
        equal("the next look", got, await get(look()))
    equal("what was read, sent back", before, await get(update(before)))
    await refused("a file", lambda: update({"log_file": "/tmp/x"}),
                  wire.UNKNOWN)
    await refused("an unknown one", lambda: update({"log_colour": True}),
                  wire.INVALID, "log_colour")
