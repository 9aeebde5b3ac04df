"""The operator as the rivals serve it, in NumPy: with few sequences that is a
few copies, so what is measured is the service around it."""


def reverse_sequence(x, lens):
    """Time-major: x [time, batch, ...], lens [batch]."""
    y = x.copy()
    for b, n in enumerate(lens):
        y[:n, b] = x[:n, b][::-1]
    return y
