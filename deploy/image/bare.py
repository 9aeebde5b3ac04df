"""The daemon on an empty base: its file, the libraries it loads and their loader, found
as the loader would find them, with their licences and with what scanners ask."""
import os
import re
import shutil
import subprocess

import packages


# A cross build may have no other than that of its target.
READELF = shutil.which("readelf") or shutil.which("aarch64-linux-gnu-readelf")


def readelf(option, path):
    return subprocess.run([READELF, "-W", option, path], check=True,
                          capture_output=True, text=True).stdout


def loader(program):
    return re.search(r"program interpreter: (\S+)\]", readelf("-l", program))[1]


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", path))


def libraries(program, folder):
    """What `program` and its libraries need, by name, of the folder `folder`."""
    found, todo = {}, needed(program)
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = f"{folder}/{name}"
            todo += needed(found[name])
    return found


def owner(root, path):
    """The package of a file below `root`. Where /lib has become a link to /usr/lib, a
    package may know its files by either name."""
    path = os.path.realpath(path)[len(root):]
    for name in (path, re.sub("^/usr", "", path)):
        try:
            return packages.query(root, "-S", name).split(":")[0]
        except subprocess.CalledProcessError:
            continue
    raise SystemExit(f"{path} belongs to no package")


def put(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)


def tree(program, root, triplet, target):
    """Fills the folder `target` for `program`, which was linked with the Debian in the
    folder `root` ("" for this one). Returns the packages in it."""
    names = set()
    files = {loader(program): root + loader(program)}
    for name, path in libraries(program, f"{root}/usr/lib/{triplet}").items():
        # The loader is among them: one file, at the place the program names.
        if name != os.path.basename(loader(program)):
            files[f"/lib/{triplet}/{name}"] = path
    for place, path in files.items():
        put(path, target + place)
        os.chmod(target + place, 0o755)
        names.add(owner(root, path))
    for name in names:
        put(f"{root}/usr/share/doc/{name}/copyright",
            f"{target}/usr/share/doc/{name}/copyright")
        place = f"{target}/var/lib/dpkg/status.d/{name}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(packages.query(root, "-s", name))
    shutil.copytree("/usr/share/common-licenses",
                    f"{target}/usr/share/common-licenses", symlinks=True)
    return [one for one in packages.installed(root) if one.name in names]
