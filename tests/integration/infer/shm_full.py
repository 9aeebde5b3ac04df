"""A /dev/shm without room for the pages of an object (SH9)."""

from shm_client import Object, clean, infer, part_of, refused, register
from wire import equal, finish, pid

# Seen through the daemon's mounts.
FOLDER = f"/proc/{pid}/root/dev/shm"
MIB = 1 << 20

try:
    taken = Object("taken", MIB // 2, FOLDER)
    taken.memory[:] = b"x" * (MIB // 2)
    sparse = Object("sparse", 4 * MIB, FOLDER)
    equal("register", 200, register("r", sparse.key, 4 * MIB).status)
    refused("no room for the answer",
            infer(MIB, part_of("r", MIB), part_of("r", MIB, 2 * MIB)), 400,
            "'r'", "ran out of memory")
    refused("and then", infer(1, part_of("r", 1), None), 400, "'r'")
    taken.cut(0)
    equal("register anew", 200,
          register("r", sparse.key, 4 * MIB).status)
    equal("what fits", 200,
          infer(100, part_of("r", 100), part_of("r", 100)).status)
finally:
    clean()
finish()
