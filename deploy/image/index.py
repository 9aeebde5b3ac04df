"""Makes one name for an image of several architectures: an index of what build.sh has
written for each of them. Registries and engines choose by the platform.

Usage: index.py INDEX SEALED...
  INDEX   the archive to write: an OCI image layout
  SEALED  archives of seal.py, of one architecture each; their digests stay

Prints the digest of the index, which the order of the archives does not change."""
import json
import sys
import tarfile

import seal


def json_of(tar, name):
    return json.load(tar.extractfile(name))


def entry_of(tar):
    """The image of an archive, as an index describes it."""
    entry, = json_of(tar, "index.json")["manifests"]
    config = json_of(tar, seal.path_of(json_of(tar, seal.path_of(entry))["config"]))
    return {**entry, "platform": {name: config[name] for name in ("architecture", "os")}}


def entries_of(archives):
    """The images by architecture."""
    entries = {}
    for archive in archives:
        with tarfile.open(archive) as tar:
            entry = entry_of(tar)
        architecture = entry["platform"]["architecture"]
        if architecture in entries:
            raise SystemExit(f"{archive} is a second image for {architecture}")
        entries[architecture] = entry
    return [entries[architecture] for architecture in sorted(entries)]


def copy(archive, layout):
    with tarfile.open(archive) as tar:
        for name in tar.getnames():
            if name.startswith("blobs/"):
                layout.add(name, tar.extractfile(name).read())


def main(path, *archives):
    index = seal.index_of(entries_of(archives))
    layout = seal.Layout(path, 0)
    for archive in archives:
        copy(archive, layout)
    print(layout.end(layout.blob("index.v1+json", index)))


if __name__ == "__main__":
    main(*sys.argv[1:])
