"""The operator of the rivals, in NumPy: with few sequences it is a few copies,
so the service around it dominates."""


def reverse_sequence(x, lens):
    """Time-major: x [time, batch, ...], lens [batch]."""
    y = x.copy()
    for b, n in enumerate(lens):
        y[:n, b] = x[:n, b][::-1]
    return y
