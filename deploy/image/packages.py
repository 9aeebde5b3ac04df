"""The packages that an image is made of, as dpkg and deploy/install-deps.sh know them.

A list of them is text: NAME=VERSION, in order, with blanks between. Packages that only
built the daemon have `build:` before their names, and libmicrohttpd, which is linked
into it, the checksum of its source behind its version."""
import collections
import re
import subprocess
import sys

Package = collections.namedtuple(
    "Package", "name version architecture source source_version maintainer")
Linked = collections.namedtuple("Linked", "name version file sha256")

FIELDS = ("${Package}", "${Version}", "${Architecture}", "${source:Package}",
          "${source:Version}", "${Maintainer}", "${db:Status-Status}")
# What shapes the program: compilers, linker, generators, headers and archives.
BUILDERS = re.compile(r"(gcc|g\+\+|cpp)-\d+(-.*-linux-gnu)?|binutils(-.*-linux-gnu)?"
                      r"|cmake|ninja-build|(?!manpages).*-dev(-.*-cross)?")


def query(root, *words):
    return subprocess.run(["dpkg-query", f"--admindir={root}/var/lib/dpkg", *words],
                          check=True, capture_output=True, text=True).stdout


def installed(root):
    """All packages of the Debian in the folder `root`, in order."""
    rows = query(root, "-W", "-f", "\t".join(FIELDS) + "\n").splitlines()
    split = [row.split("\t") for row in rows]
    return sorted(Package(*row[:-1]) for row in split if row[-1] == "installed")


def builders(root):
    return [one for one in installed(root) if BUILDERS.fullmatch(one.name)]


def libmicrohttpd(prefix):
    """From the folder that deploy/install-deps.sh has installed it into."""
    with open(f"{prefix}/share/libmicrohttpd/source", encoding="utf-8") as file:
        sha256, name = file.read().split()
    version = re.fullmatch(r"libmicrohttpd_(.*)\.orig\.tar\..*", name)[1]
    return Linked("libmicrohttpd", version, name, sha256)


def listing(contained, linked, built_by):
    words = [f"{one.name}={one.version}" for one in contained]
    words.append(f"{linked.name}={linked.version}@sha256:{linked.sha256}")
    return " ".join(words + [f"build:{one.name}={one.version}" for one in built_by])


def expect(wanted, found):
    """Ends the build where the list differs from the one that was asked for."""
    if not wanted or wanted == found:
        return
    wanted, found = set(wanted.split()), set(found.split())
    for what, words in (("wanted", wanted - found), ("found", found - wanted)):
        for word in sorted(words):
            print(f"{what}: {word}", file=sys.stderr)
    sys.exit("the packages are not those that the build argument asks for")
