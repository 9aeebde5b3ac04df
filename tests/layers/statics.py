"""Finds writable static data in the objects of kernels/ and api/."""
import os
import re
import subprocess

LAYERS = ("kernels", "api")
WRITABLE = re.compile(r"^(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")
LOCAL = re.compile(r"\.\d+$")  # gcc and clang number a function's statics
CLANG_LOCAL = re.compile(r"^\w+\.(?=\w+$)")


def cache_of(build):
    """The variables of a CMake build folder."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        return dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.M))


def is_instrumented(build):
    """Sanitizers and coverage add writable data of their own."""
    cache = cache_of(build)
    off = ("", "OFF", "0", "FALSE", "NO")
    return any(cache.get(name, "").upper() not in off
               for name in ("SANITIZE", "COVERAGE", "FUZZ"))


def objects(root, build):
    """Yields (source, object) of both libraries. Members of an archive have no
    folder, so this reads the objects; those of deleted sources are skipped."""
    for layer in LAYERS:
        for folder, _, files in os.walk(os.path.join(build, layer)):
            for name in sorted(files):
                if not name.endswith(".o"):
                    continue
                path = os.path.join(folder, name)
                source = re.sub(r"CMakeFiles/\w+\.dir/", "",
                                os.path.relpath(path, build))[:-2]
                if any(os.path.exists(os.path.join(base, source))
                       for base in (root, build)):
                    yield source, path


def writable_statics(root, build):
    """Yields (key, message), as rules.py does."""
    found = dict((path, source) for source, path in objects(root, build))
    sources = set(found.values())
    for layer in LAYERS:
        if not any(source.startswith(layer + "/") for source in sources):
            yield (("build", layer), f"{build} has no objects of {layer}/: build "
                   "it first")
    if not found:
        return
    listing = subprocess.run(["nm", "--format=sysv", *found], text=True,
                             check=True, capture_output=True).stdout
    source = None
    for line in listing.splitlines():
        if line.startswith("Symbols from "):
            source = found[line[len("Symbols from "):].rstrip(":")]
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 7 or cells[3] not in ("OBJECT", "TLS", "COMMON"):
            continue
        if WRITABLE.match(cells[6]):
            name = CLANG_LOCAL.sub("", LOCAL.sub("", cells[0]))
            yield (("static", source, name), f"{source} has the writable static "
                   f"{name} ({cells[6]})")
