"""What seal.py and index.py make of archives: python3 tests/deploy/image/test_seal.py"""
import contextlib
import io
import json
import os
import sys
import tarfile
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "../../../deploy/image"))

import index  # noqa: E402
import seal  # noqa: E402

CONFIG = {"architecture": "amd64", "os": "linux", "container": "of the build",
          "config": {"User": "1", "Image": "of the build", "Labels": {
              "org.opencontainers.image.title": "a", "b": "c"},
              "Healthcheck": {"Test": ["CMD", "/a"], "Interval": 1}},
          "history": [{"created": "then", "created_by": "base"}, {}]}
BASE = [("etc", None), ("etc/a", b"a"), ("etc/b", b"b")]


def archive(entries, mtime=2000):
    """A tar of (name, content); None is a folder, text the path of a hard link."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            entry.mtime = mtime
            if content is None:
                entry.type = tarfile.DIRTYPE
            elif isinstance(content, str):
                entry.type, entry.linkname = tarfile.LNKTYPE, content
            else:
                entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content)
                        if isinstance(content, bytes) else None)
    return out.getvalue()


class Seal(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.sealed = os.path.join(self.folder.name, "sealed")

    def seal(self, *own, base=((BASE, 2000),), config=CONFIG, architecture="arm64"):
        """Seals layers of (entries, mtime). Returns the digest."""
        saved = os.path.join(self.folder.name, "saved")
        layers = [archive(*one) for one in (*base, *own)]
        names = [f"{number}/layer.tar" for number in range(len(layers))]
        manifest = [{"Config": "c", "RepoTags": ["a:b"], "Layers": names}]
        files = [*zip(names, layers), ("c", json.dumps(config).encode()),
                 ("manifest.json", json.dumps(manifest).encode())]
        with open(saved, "wb") as file:
            file.write(archive(files))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            seal.main(saved, str(len(base)), "1000", architecture, self.sealed)
        return out.getvalue().strip()

    def index(self, *architectures):
        """The digests of images for these, and that of their index."""
        archives, digests, out = [], [], io.StringIO()
        for number, name in enumerate(architectures):
            digests.append(self.seal(([("x", name.encode())], 1), architecture=name))
            archives.append(os.path.join(self.folder.name, str(number)))
            os.rename(self.sealed, archives[-1])
        with contextlib.redirect_stdout(out):
            index.main(self.sealed, *archives)
        return digests, out.getvalue().strip()

    def json(self, name):
        with tarfile.open(self.sealed) as tar:
            return json.load(tar.extractfile(name))

    def layer(self, number=-1):
        with tarfile.open(self.sealed) as tar:
            name = self.json("manifest.json")[0]["Layers"][number]
            with tarfile.open(fileobj=tar.extractfile(name)) as layer:
                return layer.getmembers()

    def test_the_digest_is_that_of_the_content(self):
        first = self.seal(([("x", b"x"), ("y", b"y")], 3000))
        in_two = self.seal(([("./y", b"old"), ("z", b"z")], 4000),
                           ([("y", b"y"), ("x", b"x"), (".wh.z", b"")], 5000))
        self.assertEqual(first, in_two)
        self.assertRegex(first, "^sha256:[0-9a-f]{64}$")
        self.assertNotEqual(first, self.seal(([("x", b"x"), ("y", b"Y")], 3000)))

    def test_removals_stay_that_the_base_needs(self):
        self.seal(([("etc", None), ("etc/.wh.a", b""), ("tmp", None), ("tmp/b", b"")], 1),
                  ([("tmp/.wh.b", b""), (".wh.none", b"")], 1))
        self.assertEqual([one.name for one in self.layer()],
                         ["etc", "etc/.wh.a", "tmp"])

    def test_what_was_removed_can_come_back(self):
        self.seal(([("etc/.wh.a", b"")], 1), ([("etc/a", b"new")], 1))
        self.assertEqual([one.name for one in self.layer()], ["etc/a"])

    def test_hard_links_come_last(self):
        self.seal(([("z", b"z"), ("a", "./z")], 1))
        self.assertEqual([(one.name, one.linkname) for one in self.layer()],
                         [("z", ""), ("a", "z")])

    def test_all_that_is_new_has_the_time_of_the_epoch(self):
        self.seal(([("new", b""), ], 3000), ([("old", b"")], 7))
        self.assertEqual([one.mtime for one in self.layer()], [1000, 1000])
        self.assertEqual([one.mtime for one in self.layer(0)], [2000] * 3)

    def test_the_configuration_has_no_trace_of_the_builder(self):
        self.seal(([("x", b"")], 1))
        config = self.json(self.json("manifest.json")[0]["Config"])
        self.assertEqual(config["config"]["User"], "1")
        self.assertNotIn("of the build", json.dumps(config))
        self.assertEqual(config["architecture"], "arm64")
        self.assertEqual(config["created"], "1970-01-01T00:16:40Z")
        self.assertEqual(config["history"][0], CONFIG["history"][0])
        self.assertEqual(len(config["history"]), 2)
        health = config["config"]["Healthcheck"]
        self.assertEqual(health["Test"], ["CMD", "/a"])
        self.assertEqual((health["Interval"], health["StartInterval"]),
                         (10000000000, 500000000))

    def test_it_is_a_layout_of_oci(self):
        digest = self.seal(([("x", b"")], 1))
        self.assertEqual(self.json("oci-layout"), {"imageLayoutVersion": "1.0.0"})
        listed, = self.json("index.json")["manifests"]
        self.assertEqual(listed["digest"], digest)
        manifest = self.json("blobs/" + digest.replace(":", "/"))
        self.assertEqual(manifest["annotations"],
                         {"org.opencontainers.image.title": "a"})
        self.assertEqual(len(manifest["layers"]), 2)

    def test_of_several_images_none_is_taken(self):
        saved = os.path.join(self.folder.name, "saved")
        with open(saved, "wb") as file:
            file.write(archive([("manifest.json", b"[{}, {}]")]))
        with self.assertRaises(SystemExit):
            seal.main(saved, "1", "1000", "arm64", self.sealed)

    def test_an_index_has_an_image_for_each_architecture(self):
        digests, digest = self.index("amd64", "arm64")
        listed, = self.json("index.json")["manifests"]
        self.assertEqual(listed["digest"], digest)
        entries = self.json(seal.path_of(listed))["manifests"]
        self.assertEqual([one["digest"] for one in entries], digests)
        self.assertEqual([one["platform"] for one in entries],
                         [{"architecture": name, "os": "linux"} for name in ("amd64", "arm64")])
        for entry in entries:
            manifest = self.json(seal.path_of(entry))
            self.assertEqual(len(manifest["layers"]), 2)
            self.json(seal.path_of(manifest["config"]))

    def test_the_order_of_archives_does_not_matter(self):
        self.assertEqual(self.index("amd64", "arm64")[1], self.index("arm64", "amd64")[1])

    def test_an_index_has_one_image_for_an_architecture(self):
        with self.assertRaises(SystemExit):
            self.index("arm64", "arm64")

    def test_without_a_base(self):
        self.seal(([("x", b"")], 1), base=(), config={**CONFIG, "history": []})
        self.assertEqual([one.name for one in self.layer(0)], ["x"])


if __name__ == "__main__":
    unittest.main()
