"""What differs between tritonclient's transports: its classes, the names of
statuses, the codings, and the form of replies, which is HTTP's here."""

from tritonclient.utils import np_to_triton_dtype


class Form:
    def tensor(self, name, x, **how):
        """how: where the transport has the choice, whether binary_data."""
        one = self.input(name, list(x.shape), np_to_triton_dtype(x.dtype))
        return one.set_data_from_numpy(x, **how)


class Http(Form):
    INVALID, MISSING, UNKNOWN, LATE = "400", "404", "501", "504"
    MORE = {"headers": {"X-Request-Id": "q", "Authorization": "-"},
            "query_params": {"a": [1, "b c"], "ü": "&="}}
    CLEARS = True  # a setting may be None
    NO_ID = None
    NAME = "part of it"  # of a region
    HANDLE = b"handle"  # of CUDA
    WAYS = {"binary_data": True}, {"binary_data": False}
    CODINGS = [{"request_compression_algorithm": out,
                "response_compression_algorithm": back}
               for out in (None, "gzip", "deflate")
               for back in (None, "gzip", "deflate")]

    def __init__(self):
        from tritonclient.http import InferInput, InferRequestedOutput
        self.input, self.output = InferInput, InferRequestedOutput

    def form(self, reply):
        return reply

    def is_beside(self, result):
        """Whether the reply has the bytes of an output in shared memory."""
        return "data" in result.get_output("Y")


class Grpc(Form):
    INVALID, MISSING, UNKNOWN, LATE = (
        f"StatusCode.{name}" for name in
        ("INVALID_ARGUMENT", "NOT_FOUND", "UNIMPLEMENTED", "DEADLINE_EXCEEDED"))
    MORE = {"headers": {"x-request-id": "q"}, "client_timeout": 20}
    CLEARS = False
    NO_ID = ""
    NAME = "part/of it"
    HANDLE = b"aGFuZGxl"
    WAYS = {},
    CODINGS = [{"compression_algorithm": coding} for coding in ("gzip", None)]

    def __init__(self):
        from tritonclient.grpc import InferInput, InferRequestedOutput
        self.input, self.output = InferInput, InferRequestedOutput

    def form(self, message):
        """A reply that HTTP has as a list or an object is the only field of its
        message."""
        name = message.DESCRIPTOR.name
        got = plain(message)
        if name in ("ModelConfigResponse", "RepositoryIndexResponse"):
            [got] = got.values()
        elif name == "LogSettingsResponse":
            got = {key: value for key, setting in got["settings"].items()
                   for value in setting.values()}
        elif "SharedMemoryStatus" in name:
            got = list(got["regions"].values())
        return got

    def is_beside(self, result):
        return list(result.get_response().raw_output_contents) != [b""]


def plain(message):
    """A message as lists and dictionaries; of a oneof, what is set."""
    return {field.name: plain_field(field, getattr(message, field.name))
            for field in message.DESCRIPTOR.fields
            if not field.containing_oneof or message.HasField(field.name)}


def plain_field(field, value):
    entry = field.message_type
    if entry and entry.GetOptions().map_entry:
        to = entry.fields_by_name["value"]
        return {key: plain_one(to, one) for key, one in value.items()}
    if isinstance(value, (bool, int, float, str, bytes)) or hasattr(
            value, "DESCRIPTOR"):
        return plain_one(field, value)
    return [plain_one(field, one) for one in value]


def plain_one(field, value):
    if field.enum_type:
        return field.enum_type.values_by_number[value].name
    return plain(value) if field.message_type else value


FORMS = {"http": Http, "grpc": Grpc}
