"""The calls of tritonclient over gRPC other than inference."""

from check import equal, ok, refused, settle

FIELDS = ["success", "fail", "queue", "compute_input", "compute_infer",
          "compute_output", "cache_hit", "cache_miss"]


async def every_call(client):
    await server(client)
    await models(client)
    await repository(client)
    await statistics(client)
    await logging(client)
    await refused("tracing", client.get_trace_settings, "StatusCode.")


async def server(client):
    for call in (client.is_server_live, client.is_server_ready):
        equal(call.__name__, True, await settle(call()))
        equal(f"{call.__name__} with a header and a timeout", True,
              await settle(call(headers={"x-request-id": "q"},
                                client_timeout=20)))
    metadata = await settle(client.get_server_metadata())
    equal("the server's name", "flipd", metadata.name)
    for name in ("binary_tensor_data", "model_configuration", "statistics",
                 "logging"):
        ok("extensions", name in metadata.extensions, f"lack {name}")
    same = await settle(client.get_server_metadata(as_json=True))
    equal("the same as JSON", metadata.version, same["version"])


async def models(client):
    ready, metadata = client.is_model_ready, client.get_model_metadata
    equal("ready", True, await settle(ready("flip")))
    equal("ready, of a version", True, await settle(ready("flip", "1")))
    equal("another version", False, await settle(ready("flip", "2")))
    equal("another model", False, await settle(ready("flop")))
    about = await settle(metadata("flip"))
    equal("metadata, of a version", about, await settle(metadata("flip", "1")))
    equal("versions", ["1"], list(about.versions))
    equal("inputs", [("input", "FP32", [-1, -1, 8]),
                     ("sequence_lens", "INT64", [-1])],
          [(i.name, i.datatype, list(i.shape)) for i in about.inputs])
    equal("outputs", ["features"], [o.name for o in about.outputs])
    await refused("a version that is no number",
                  lambda: metadata("flip", "one"), "StatusCode.NOT_FOUND",
                  "one")
    await refused("a name that a path would quote",
                  lambda: metadata("no such/model ü%2f"),
                  "StatusCode.NOT_FOUND", "no such/model ü%2f")
    config = (await settle(client.get_model_config("flip", "1"))).config
    equal("the config's inputs", [i.name for i in about.inputs],
          [i.name for i in config.input])
    types = type(config).DESCRIPTOR.file.enum_types_by_name["DataType"]
    equal("the config's types", ["TYPE_FP32", "TYPE_INT64", "TYPE_FP32"],
          [types.values_by_number[t.data_type].name
           for t in (*config.input, *config.output)])
    equal("the config's shape", [-1, -1, 8], list(config.input[0].dims))
    equal("max_batch_size", 0, config.max_batch_size)


async def repository(client):
    index = (await settle(client.get_model_repository_index())).models
    ok("index", ("flip", "1", "READY") in [
        (m.name, m.version, m.state) for m in index], index)
    for call in (
        lambda: client.load_model("flip"),
        lambda: client.load_model("flip", config='{"name": "flip"}'),
        lambda: client.unload_model("flip"),
        lambda: client.unload_model("flip", unload_dependents=True),
    ):
        await refused("load and unload", call, "StatusCode.UNIMPLEMENTED",
                      "--models FILE")


async def statistics(client):
    stats = client.get_inference_statistics
    every = (await settle(stats())).model_stats
    index = (await settle(client.get_model_repository_index())).models
    equal("statistics of all", sorted(m.name for m in index),
          sorted(m.name for m in every))
    for got in (await settle(stats("flip")), await settle(stats("flip", "1"))):
        equal("statistics of one", [("flip", "1")],
              [(m.name, m.version) for m in got.model_stats])
        one = got.model_stats[0].inference_stats
        for field in FIELDS:
            ok(f"statistics have {field}", one.HasField(field), one)
    await refused("statistics of none", lambda: stats("flop"),
                  "StatusCode.NOT_FOUND", "flop")


def plain(settings):
    """{name: value} of the reply's oneofs."""
    return {name: getattr(value, value.WhichOneof("parameter_choice"))
            for name, value in settings.settings.items()}


async def logging(client):
    get, update = client.get_log_settings, client.update_log_settings
    before = plain(await settle(get()))
    equal("settings", ["log_error", "log_file", "log_format", "log_info",
                       "log_verbose_level", "log_warning"], sorted(before))
    for change in ({"log_info": False}, {"log_verbose_level": 1},
                   {"log_format": "json"}):
        got = plain(await settle(update(change)))
        equal(f"after {change}", {**got, **change}, got)
        equal("the next look", got, plain(await settle(get())))
    equal("what was read, sent back", before,
          plain(await settle(update(before))))
    await refused("a file", lambda: update({"log_file": "/tmp/x"}),
                  "StatusCode.UNIMPLEMENTED")
    await refused("an unknown one", lambda: update({"log_colour": True}),
                  "StatusCode.INVALID_ARGUMENT", "log_colour")
