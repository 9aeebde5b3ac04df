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
    half = SIZE // 2
    thing.memory[:] = PATTERN
    ok("from half to half", infer(half, part_of("r", half), part_of("r", half, half)))
    equal("moved", True, thing.memory[half:] == PATTERN[:half][::-1])
    equal("kept", True, thing.memory[:half] == PATTERN[:half])
    thing.memory[5000:5008] = struct.pack("<q", 3)
    reply = infer(5, [1, 2, 3, 4, 5], None, lens=part_of("a part", 8))
    equal("lengths", [3, 2, 1, 4, 5], reply.json()["outputs"][0]["data"])
    refused("an unknown region", infer(3, part_of("x", 3), None), 404, "'x'")


def overlaps(thing, region, begin):
    """SH8: an output that overlaps its input is as right as a separate one, also in
    another region of the same object, which begins at `begin` in it."""
    for shift in (1, -3000):
        thing.memory[:] = PATTERN
        start, count = 8192, 100000
        ok("overlap", infer(count, part_of("r", count, start),
                            part_of(region, count, start + shift - begin)))
        want = bytearray(PATTERN)
        want[start + shift:start + shift + count] = (
            PATTERN[start:start + count][::-1])
        equal(f"shifted by {shift}, {region}", True, thing.memory[:] == bytes(want))


def bad_keys(thing):
    """SH2, SH4."""
    for key in ("", "/..", "/flipd-test-/../x", "/flipd-test-ä"):
        refused(f"key {key!r}", register("bad", key, 8), 400, "key")
    refused("no object", register("bad", thing.key + "x", 8), 400,
            "no shared memory object")
    link = Object("link", 1)
    link.remove()
    os.symlink("/etc/passwd", link.path)
    refused("a link", register("bad", link.key, 1), 400, link.key)
    os.unlink(link.path)


def bad_parts(thing):
    """SH3."""
    for size, offset in ((SIZE + 1, 0), (1, -1), (8192, 2**64 - 4096)):
        reply = register("bad", thing.key, size, offset)
        true(f"{size} at {offset}: {reply}", reply.status in (400, 413))
    refused("a name twice", register("r", thing.key, 8), 400, "already")


def cut_short():
    """SH5."""
    for target in (None, part_of("cut", SIZE), {"binary_data": True}):
        thing = Object("cut", SIZE)
        ok("register", register("cut", thing.key, SIZE))
        thing.cut(4096)
        refused("cut short", infer(SIZE, part_of("cut", SIZE), target), 400,
                "'cut'", "cut short")
        thing.cut(SIZE)
        refused("grown again", infer(1, part_of("cut", 1), None), 400, "register")
        ok("register anew", register("cut", thing.key, SIZE))
        ok("works", infer(SIZE, part_of("cut", SIZE), part_of("cut", SIZE)))
        ok("unregister", unregister("cut"))


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
    overlaps(main, "r", 0)
    ok("register again", register("again", main.key, SIZE - 4096, 4096))
    overlaps(main, "again", 4096)
    bad_keys(main)
    bad_parts(main)
    cut_short()
    while_in_use(main)
    too_many(main)
    equal("nothing stays registered", [], status().json())
    equal("nothing stays mapped", [], mapped())
    true("descriptors stay open", open_files() <= files + 2)
    equal("the server lives", 200, ask("GET", "/v2/health/live").status)
finally:
    clean()
finish()
