"""flipd reverses tensors, bit for bit: in this process, or in a server.

    import flipd

    y = flipd.reverse_sequence(x, lens)      # NumPy, PyTorch, any buffer; lists of lengths
    flipd.reverse_sequence(x, lens, out=x)   # in place
    y = flipd.reverse(x, [0, -1])

    client = flipd.Client("http://127.0.0.1:8000")

The daemon is the program `flipd`, also `python -m flipd`."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from .client import Client, Error, Tensor
    from .operators import reverse, reverse_sequence, reverse_sequence_grad
else:
    def __getattr__(name):
        """Loads a part at its first use: the daemon needs none, and the client no libflip."""
        if name == "__version__":
            return importlib.import_module("importlib.metadata").version(__name__)
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        part = ".operators" if name.startswith("reverse") else ".client"
        value = globals()[name] = getattr(importlib.import_module(part, __name__), name)
        return value

    def __dir__():
        return [*globals(), *__all__]

__all__ = ["Client", "Error", "Tensor", "reverse", "reverse_sequence", "reverse_sequence_grad"]
