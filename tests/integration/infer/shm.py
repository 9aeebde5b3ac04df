"""Shared memory: valid requests, and the attacks SH2 to SH9."""

import os
import struct
import threading

from shm_client import (Object, clean, infer, part_of, refused, register,
                        status, unregister)
from wire import ask, equal, fail, finish, open_files, pid, true

SIZE = 1 << 20
PATTERN = bytes(i * 7 % 251 for i in range(SIZE))


def ok(what, reply):
    return equal(f"{what} ({reply.body[:200]})", 200, reply.status)


def what_works(thing):
    ok("register", register("r", thing.key, SIZE))
    ok("register a part", register("a%20part", thing.key, 100, 5000))
    regions = [{"name": "r", "key": thing.key, "offset": 0, "byte_size": SIZE},
               {"name": "a part", "key": thing.key, "offset": 5000,
                "byte_size": 100}]
    equal("status", regions, status().json())
    equal("status of one", regions[1:], status("a%20part").json())
    refused("status of none", status("x"), 404, "'x'")
    half = SIZE // 2
    thing.memory[:] = PATTERN
    ok("from half to half", infer(half, part_of("r", half), part_of("r", half, half)))
    equal("moved", True, thing.memory[half:] == PATTERN[:half][::-1])
    equal("kept", True, thing.memory[:half] == PATTERN[:half])
    ok("in place", infer(half, part_of("r", half), part_of("r", half)))
    equal("moved in place", True, thing.memory[:half] == PATTERN[:half][::-1])
    thing.memory[5000:5008] = struct.pack("<q", 3)
    reply = infer(5, [1, 2, 3, 4, 5], None, lens=part_of("a part", 8))
    equal("lengths", [3, 2, 1, 4, 5], reply.json()["outputs"][0]["data"])
    ok("from JSON", infer(3, [7, 8, 9], part_of("a part", 50, 10)))
    equal("from JSON", b"\x09\x08\x07", thing.memory[5010:5013])
    refused("an unknown region", infer(3, part_of("x", 3), None), 404, "'x'")
    refused("too small", infer(3, [7, 8, 9], part_of("r", 2)), 400, "3", "2")
    refused("past the end", infer(100, part_of("a part", 100, 1), None), 400,
            "1 to 101", "100")


def overlaps(thing):
    """SH8: an output that overlaps its input is as right as a separate one."""
    for shift in (1, -1, 4096, -3000):
        thing.memory[:] = PATTERN
        start, count = 8192, 100000
        ok("overlap", infer(count, part_of("r", count, start),
                            part_of("r", count, start + shift)))
        want = bytearray(PATTERN)
        want[start + shift:start + shift + count] = (
            PATTERN[start:start + count][::-1])
        equal(f"shifted by {shift}", True, thing.memory[:] == bytes(want))


def overlaps_through_another(thing):
    """The same through a second region of the same object."""
    ok("register again", register("again", thing.key, SIZE - 4096, 4096))
    for shift in (0, 1, 4096, -3000, 50000):
        thing.memory[:] = PATTERN
        start, count = 8192, 100000
        ok("overlap", infer(count, part_of("r", count, start),
                            part_of("again", count, start + shift - 4096)))
        want = bytearray(PATTERN)
        want[start + shift:start + shift + count] = (
            PATTERN[start:start + count][::-1])
        equal(f"shifted by {shift}, two regions", True,
              thing.memory[:] == bytes(want))
    ok("unregister again", unregister("again"))


def bad_keys(thing):
    """SH2, SH4."""
    for key in ("", "x", thing.key[1:], "/", "/" + thing.key, thing.key + "/x",
                "/flipd-test-/../x", "/..", "/.", "/flipd-test-" + 240 * "x",
                "/flipd-test-\0", "/flipd-test-ä", "/flipd-test- ", 7, None):
        refused(f"key {key!r}", register("bad", key, 8), 400, "key")
    refused("no object", register("bad", thing.key + "x", 8), 400,
            "no shared memory object")
    folder = Object("folder", 1)
    folder.remove()
    os.mkdir(folder.path)
    refused("a folder", register("bad", folder.key, 1), 400, folder.key)
    os.rmdir(folder.path)
    os.mkfifo(folder.path)
    refused("a FIFO", register("bad", folder.key, 1), 400, folder.key)
    folder.remove()
    os.symlink("/etc/passwd", folder.path)
    refused("a link", register("bad", folder.key, 1), 400, folder.key)
    os.unlink(folder.path)


def bad_parts(thing):
    """SH3."""
    key = thing.key
    for size, offset in ((SIZE + 1, 0), (SIZE, 1), (1, SIZE), (0, 0), (-1, 0),
                         (1, -1), (8192, 2**64 - 4096), (2**64 - 4096, 8192),
                         (8192, 2**63 - 4096), (2**63 - 1, 2**63 - 1)):
        reply = register("bad", key, size, offset)
        true(f"{size} at {offset}: {reply}", reply.status in (400, 413))
    for offset in (1, 4095, 4097):
        ok(f"offset {offset}", register("odd", key, 8, offset))
        ok("unregister", unregister("odd"))
    refused("a name twice", register("r", key, 8), 400, "already")
    ok("unregister what is not there", unregister("nothing"))


def cut_short():
    """SH5."""
    for target in (None, part_of("cut", SIZE), {"binary_data": True}):
        thing = Object("cut", SIZE)
        ok("register", register("cut", thing.key, SIZE))
        thing.cut(4096)
        refused("cut short", infer(SIZE, part_of("cut", SIZE), target), 400,
                "'cut'", "cut short")
        refused("again", infer(1, part_of("cut", 1), None), 400, "register")
        thing.cut(SIZE)
        refused("grown again", infer(1, part_of("cut", 1), None), 400, "register")
        ok("register anew", register("cut", thing.key, SIZE))
        ok("works", infer(SIZE, part_of("cut", SIZE), part_of("cut", SIZE)))
        ok("unregister", unregister("cut"))
    thing = Object("out", SIZE)
    ok("register", register("out", thing.key, SIZE))
    thing.cut(0)
    refused("nowhere to go", infer(3, [1, 2, 3], part_of("out", SIZE)), 400,
            "'out'")
    ok("unregister", unregister("out"))


def fresh_map():
    """The key names another object after the registration."""
    first = Object("same", 4096)
    first.memory[:4] = b"1234"
    ok("register", register("first", first.key, 4096))
    ok("unregister", unregister("first"))
    first.remove()
    second = Object("same", 4096)
    second.memory[:4] = b"5678"
    ok("register", register("second", second.key, 4096))
    ok("infer", infer(4, part_of("second", 4), part_of("second", 4)))
    equal("the second", b"8765", second.memory[:4])
    ok("unregister", unregister("second"))


def while_in_use(thing):
    """SH7: every answer is complete, or says that the region does not exist."""
    outs = [Object(f"out{n}", SIZE) for n in range(3)]
    thing.memory[:] = PATTERN
    done = []

    def work(n):
        for step in range(150):
            register(f"out{n}", outs[n].key, SIZE)
            reply = infer(SIZE, part_of("r", SIZE), part_of(f"out{n}", SIZE))
            if reply.status == 200:
                done.append(n)
                if outs[n].memory[:] != PATTERN[::-1]:
                    fail("an answer is not whole")
            elif reply.status != 404:
                fail(f"in use: {reply}")
            if step % 3 == n:
                unregister()
            register("r", thing.key, SIZE)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    true("nobody was answered", len(done) > 20)


def too_many(thing):
    """SH9."""
    ok("unregister all", unregister())
    answers = [register(f"r{n}", thing.key, 8, n).status for n in range(1000)]
    equal("registered", 64, answers.count(200))
    equal("refused", 936, answers.count(503))
    ok("unregister all", unregister())
    equal("none", [], status().json())
    huge = Object("huge", 1 << 50, mapped=False)
    refused("all there is", register("huge", huge.key, 1 << 50), 413,
            "max-inflight-bytes")


def mapped():
    with open(f"/proc/{pid}/maps") as maps:
        return [line for line in maps if "/flipd-test-" in line]


try:
    files = open_files()
    unregister()
    main = Object("main", SIZE)
    what_works(main)
    overlaps(main)
    overlaps_through_another(main)
    bad_keys(main)
    bad_parts(main)
    cut_short()
    fresh_map()
    while_in_use(main)
    too_many(main)
    equal("nothing stays registered", [], status().json())
    equal("nothing stays mapped", [], mapped())
    true("descriptors stay open", open_files() <= files + 2)
    equal("the server lives", 200, ask("GET", "/v2/health/live").status)
finally:
    clean()
finish()
