"""Makes an image whose digest follows from its content: takes what `docker save` wrote
and leaves out what differs from build to build (times, the builder's notes, the order of
files). What was added to the base becomes one layer; the base's own stay as they are.

Usage: seal.py SAVED LAYERS EPOCH ARCHITECTURE SEALED
  SAVED   an archive of one image
  LAYERS  how many of its layers, the first ones, are the base
  EPOCH   seconds since 1970: the time of all that is in the new layer
  ARCHITECTURE  of the image: amd64, arm64
  SEALED  the archive to write: an OCI image layout that `docker load` reads as well

Prints the digest of the manifest."""
import datetime
import hashlib
import io
import json
import sys
import tarfile

OCI = "application/vnd.oci.image."
# What is known of a container's start; the rest are the builder's notes.
SETTINGS = ("User", "ExposedPorts", "Env", "Entrypoint", "Cmd", "Volumes", "WorkingDir",
            "Labels", "StopSignal", "Healthcheck")
SECOND = 1000000000
# Asked often while it starts, seldom then. A Dockerfile cannot say so for Debian 12's
# engine, which does not know StartInterval; here such an engine passes over it.
HEALTH = {"Interval": 10 * SECOND, "Timeout": 2 * SECOND, "Retries": 3,
          "StartPeriod": 10 * SECOND, "StartInterval": SECOND // 2}


def place(name):
    return name.removeprefix("./").rstrip("/")


def below(path, folder):
    return path == folder or path.startswith(folder + "/")


def merge(layers, base):
    """The members of all layers by path, each with its archive; a later one wins. Of
    removals (.wh.NAME), which take effect on the layers before, those stay that remove
    a path of `base`."""
    merged = {}
    for layer in layers:
        for member in layer:
            path = place(member.name)
            folder, _, name = path.rpartition("/")
            if name == ".wh..wh.opq":
                raise SystemExit(f"{folder} of the base was replaced as a whole")
            if name.startswith(".wh."):
                gone = f"{folder}/{name[4:]}".lstrip("/")
                merged = {one: what for one, what in merged.items()
                          if not below(one, gone)}
                if gone not in base:
                    continue
            else:
                merged.pop(f"{folder}/.wh.{name}".lstrip("/"), None)
            if path:
                merged[path] = (member, layer)
    return merged


def normal(path, member, epoch):
    new = tarfile.TarInfo(path)
    for field in ("mode", "uid", "gid", "type", "size", "devmajor", "devminor"):
        setattr(new, field, getattr(member, field))
    new.linkname = place(member.linkname) if member.islnk() else member.linkname
    new.mtime = epoch  # an engine's cache keeps layers of any age
    new.pax_headers = {key: value for key, value in member.pax_headers.items()
                       if key.startswith("SCHILY.xattr.")}
    return new


def layer_of(layers, base, epoch):
    """One layer of several: sorted, hard links behind what they link to, without names
    of users, with whole seconds."""
    out = io.BytesIO()
    merged = merge(layers, base)
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(merged, key=lambda one: (merged[one][0].islnk(), one)):
            member, layer = merged[path]
            data = layer.extractfile(member) if member.isreg() else None
            tar.addfile(normal(path, member, epoch), data)
    return out.getvalue()


def config_of(old, architecture, diffs, base, epoch):
    """The image's settings without the builder's notes. The base keeps its history."""
    when = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    created = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    kept, left = [], base
    for entry in old.get("history", []):
        if left == 0:
            break
        kept.append(entry)
        left -= not entry.get("empty_layer", False)
    settings = {name: old["config"][name] for name in SETTINGS
                if old["config"].get(name)}
    if "Healthcheck" in settings:
        settings["Healthcheck"] = {**settings["Healthcheck"], **HEALTH}
    return {"created": created, "architecture": architecture, "os": old["os"],
            "config": settings, "rootfs": {"type": "layers", "diff_ids": diffs},
            "history": kept + [{"created": created, "created_by": "Dockerfile"}]}


def text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def path_of(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def index_of(entries):
    return text({"schemaVersion": 2, "mediaType": OCI + "index.v1+json",
                 "manifests": entries})


class Layout:
    """An OCI layout in a tar file, which `docker load` of any age reads too."""

    def __init__(self, path, epoch):
        self.tar, self.epoch = tarfile.open(path, "w"), epoch
        self.written = set()

    def add(self, name, data):
        if name not in self.written:
            self.written.add(name)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), self.epoch
            self.tar.addfile(entry, io.BytesIO(data))

    def blob(self, kind, data):
        """Returns the blob's descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.add(f"blobs/sha256/{digest}", data)
        return {"mediaType": OCI + kind, "digest": f"sha256:{digest}",
                "size": len(data)}

    def close(self, config, layers, labels, names):
        manifest = self.blob("manifest.v1+json", text({
            "schemaVersion": 2, "mediaType": OCI + "manifest.v1+json",
            "config": config, "layers": layers, "annotations": {
                name: value for name, value in labels.items()
                if name.startswith("org.opencontainers.")}}))
        self.add("manifest.json", text([{
            "Config": path_of(config), "RepoTags": names,
            "Layers": [path_of(one) for one in layers]}]))
        return self.end(manifest)

    def end(self, entry):
        """`entry` describes the only image, or the only index of images."""
        self.add("oci-layout", text({"imageLayoutVersion": "1.0.0"}))
        self.add("index.json", index_of([entry]))
        self.tar.close()
        return entry["digest"]


def main(saved, base, epoch, architecture, sealed):
    base, epoch = int(base), int(epoch)
    with tarfile.open(saved) as tar:
        images = json.load(tar.extractfile("manifest.json"))
        if len(images) != 1:
            raise SystemExit(f"{saved} holds {len(images)} images")
        manifest = images[0]
        old = json.load(tar.extractfile(manifest["Config"]))
        files = [tar.extractfile(name) for name in manifest["Layers"]]
        layers = [tarfile.open(fileobj=file) for file in files]
        known = {place(name) for layer in layers[:base] for name in layer.getnames()}
        own = layer_of(layers[base:], known, epoch)
        for file in files:
            file.seek(0)
        data = [file.read() for file in files[:base]] + [own]
    layout = Layout(sealed, epoch)
    layers = [layout.blob("layer.v1.tar", one) for one in data]
    config = config_of(old, architecture, [one["digest"] for one in layers], base, epoch)
    print(layout.close(layout.blob("config.v1+json", text(config)), layers,
                       config["config"].get("Labels", {}), manifest["RepoTags"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
