#!/usr/bin/env python3
"""Builds the wheel of flipd: the package `flipd` of this folder, libflip and the daemon, whose
libraries are inside it. One wheel serves every Python from 3.9 on; the same tree and compiler give
the same bytes.

Usage: deploy/python/build.py [--build FOLDER] [--output FOLDER]
  --build FOLDER   where it is compiled; default build/wheel
  --output FOLDER  where the wheel goes; default build

Installs what is missing to build, by deploy/install-deps.sh, and prints the wheel's path. The wheel
runs where glibc is at least as new as the symbols that the two files take of it, which its name
says: built on Debian 12 it runs on nearly all of today's distributions."""

import argparse
import base64
import glob
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(f"{HERE}/../..")
# What each Linux has: manylinux allows these, and all else must be inside.
SYSTEM = re.compile(r"(libc|libm)\.so\.6|libgcc_s\.so\.1|ld-linux-.*\.so\.\d")
# Of whom there is code in the daemon.
PACKAGES = ("libuv1-dev", "libssl-dev", "libnghttp2-dev", "zlib1g-dev", "gcc-[0-9]*-base")


def run(*words):
    """Its output is only shown when it fails."""
    done = subprocess.run(words, cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout}\nbuild: failed: {' '.join(words)}")
    return done.stdout


def compiled(build):
    """The daemon and the library, without symbols."""
    run("deploy/install-deps.sh", "--build-only")
    maps = f"-ffile-prefix-map={ROOT}/="
    run("cmake", "--preset", "release", "-B", build, "-DTESTS=OFF", "-DSERVICE=OFF",
        "-DSTATIC_DEPS=ON", f"-DCMAKE_C_FLAGS={maps}", f"-DCMAKE_CXX_FLAGS={maps}")
    run("cmake", "--build", build, "--target", "flipd", "flip")
    library = glob.glob(f"{build}/kernels/flip/libflip.so.0")[0]
    files = {"flipd/bin/flipd": f"{build}/flipd", "flipd/libflip.so.0": library}
    for name, path in files.items():
        stripped = f"{build}/stripped-{os.path.basename(name)}"
        run("strip", "--strip-unneeded", "-o", stripped, os.path.realpath(path))
        files[name] = stripped
    return files


def tag(paths):
    """The platform that the files run on: the newest glibc that a symbol of theirs asks for."""
    newest = (2, 17)
    for path in paths:
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path)):
            if not SYSTEM.fullmatch(name):
                sys.exit(f"build: {path} needs {name}, which a system may lack")
        for version in re.findall(r"Name: GLIBC_([\d.]+)", run("readelf", "-VW", path)):
            newest = max(newest, tuple(map(int, version.split(".")))[:2])
    return "manylinux_{}_{}_{}".format(*newest, platform.machine())


def licences():
    """Of flipd, and of whose code is in the daemon, by the name of the file."""
    files = {"LICENSE": f"{ROOT}/LICENSE",
             "libmicrohttpd": f"{ROOT}/.deps/share/libmicrohttpd/copyright"}
    for package in PACKAGES:
        path = min(glob.glob(f"/usr/share/doc/{package}/copyright"), key=len)
        files[path.split("/")[-2]] = path
    return files


def read(path):
    with open(path, "rb") as file:
        return file.read()


def metadata(version, platform_tag):
    """The files that tools for packages read."""
    about = read(f"{HERE}/flipd/__init__.py").decode().split('"""')[1]
    return {
        "METADATA": "Metadata-Version: 2.1\nName: flipd\n"
                    f"Version: {version}\nSummary: Reverses tensors, exactly: ReverseSequence and "
                    "Reverse, in the process and as a server\nLicense: Apache-2.0\n"
                    "Requires-Python: >=3.9\nClassifier: Operating System :: POSIX :: Linux\n"
                    "Classifier: Typing :: Typed\nDescription-Content-Type: text/plain\n\n"
                    f"{about}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: flipd\nRoot-Is-Purelib: false\n"
                 f"Tag: py3-none-{platform_tag}\n",
        "entry_points.txt": "[console_scripts]\nflipd = flipd.__main__:main\n",
    }


def write(path, files, info):
    """A zip file of `files`, contents by name, and of the list of them in the folder `info`."""
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    record = f"{info}/RECORD"
    rows.append(f"{record},,\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in {**files, record: "".join(rows).encode()}.items():
            entry = zipfile.ZipInfo(name)  # of 1980
            entry.create_system = 3
            entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build/wheel")
    parser.add_argument("--output", default=f"{ROOT}/build")
    options = parser.parse_args()
    binaries = compiled(os.path.abspath(options.build))
    version = re.search(r"project\(flipd VERSION ([\d.]+)",
                        read(f"{ROOT}/CMakeLists.txt").decode())[1]
    platform_tag = tag(binaries.values())
    info = f"flipd-{version}.dist-info"
    files = {f"flipd/{name}": read(f"{HERE}/flipd/{name}")
             for name in sorted(os.listdir(f"{HERE}/flipd")) if name.endswith((".py", ".typed"))}
    files.update((name, read(path)) for name, path in binaries.items())
    files.update((f"{info}/licenses/{name}", read(path)) for name, path in licences().items())
    files.update((f"{info}/{name}", text.encode())
                 for name, text in metadata(version, platform_tag).items())
    os.makedirs(options.output, exist_ok=True)
    path = f"{options.output}/flipd-{version}-py3-none-{platform_tag}.whl"
    write(path, files, info)
    print(path)


if __name__ == "__main__":
    main()
