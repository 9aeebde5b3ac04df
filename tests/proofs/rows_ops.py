"""The proofs of kernels/ops."""

# Globs of the sources whose functions all need a proof.
SOURCES = ()

PROOFS = []
