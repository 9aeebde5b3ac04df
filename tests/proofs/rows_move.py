"""The proofs of kernels/move."""

# Globs of the sources whose functions all need a proof.
SOURCES = ()

PROOFS = []
