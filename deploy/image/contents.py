"""Called by the Dockerfile when the daemon is built: fills /tree with what the image has
beside its base: the daemon, licences, the list of packages and the bill of materials.
Ends with an error where packages are not those that were asked for.

Usage: contents.py debian|bare INSTALLED LIST REVISION EPOCH
  debian|bare  on a Debian, whose dpkg stands in /runtime, or on nothing
  INSTALLED    the folder that `cmake --install` has filled
  LIST         the packages that must be there, as packages.py writes them; "": any"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import bare
import packages
import sbom

TREE = "/tree"
DOC = f"{TREE}/usr/share/doc"
CROSS = os.path.isdir(".deps/arm64")
SYSROOT = os.path.abspath(".deps/arm64") if CROSS else ""
MHD = f"{SYSROOT}/usr" if CROSS else ".deps"
TRIPLET = "aarch64-linux-gnu" if CROSS else subprocess.run(
    ["gcc", "-print-multiarch"], check=True, capture_output=True, text=True
).stdout.strip()


def contents(kind, installed):
    shutil.copytree(f"{installed}/usr/share/doc/flipd", f"{DOC}/flipd")
    bare.put(f"{installed}/usr/bin/flipd", f"{TREE}/usr/bin/flipd")
    bare.put(f"{MHD}/share/libmicrohttpd/copyright", f"{DOC}/libmicrohttpd/copyright")
    if kind == "debian":
        return packages.installed("/runtime")
    # libstdc++ and libgcc are linked into the daemon.
    bare.put(glob.glob("/usr/share/doc/gcc-*-base/copyright")[0],
             f"{DOC}/libstdc++/copyright")
    return bare.tree(f"{installed}/usr/bin/flipd", SYSROOT, TRIPLET, TREE)


def version():
    with open("CMakeLists.txt", encoding="utf-8") as file:
        return re.search(r"project\(flipd VERSION (\S+)", file.read())[1]


def release():
    with open("/etc/os-release", encoding="utf-8") as file:
        return re.search(r"VERSION_CODENAME=(\S+)", file.read())[1]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def main(kind, installed, wanted, revision, epoch):
    contained = contents(kind, installed)
    linked, built_by = packages.libmicrohttpd(MHD), packages.builders("")
    listing = packages.listing(contained, linked, built_by)
    packages.expect(wanted, listing)
    with open(f"{DOC}/flipd/packages", "w", encoding="utf-8") as file:
        file.write(listing.replace(" ", "\n") + "\n")
    architecture = contained[0].architecture if kind == "bare" else next(
        one.architecture for one in contained if one.name == "libc6")
    flipd = sbom.of_flipd(version(), revision, architecture,
                          sha256(f"{TREE}/usr/bin/flipd"))
    with open(f"{DOC}/flipd/sbom.spdx.json", "w", encoding="utf-8") as file:
        json.dump(sbom.document(f"flipd-{kind}-{architecture}", release(), flipd,
                                contained, linked, built_by, int(epoch)),
                  file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
