"""Tests of the layer check: each departure is planted in a copy of the sources
and must be reported by name. Usage: test_check.py [TEST...]"""
import contextlib
import io
import os
import shutil
import subprocess
import tempfile
import unittest

import check

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COPIED = (".c", ".cc", ".h", ".py", "rooms.txt", "CMakeLists.txt")
HARMLESS = "int planted(void);\nint planted(void)\n{\n    return 0;\n}\n"
CC = os.environ.get("CC", "cc")


class LayerCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The copy: the sources, and a build of two objects without statics."""
        cls.root = tempfile.mkdtemp()
        for layer in ("kernels", "api", "server", "deploy", "tests",
                      "docs/examples"):
            shutil.copytree(os.path.join(ROOT, layer),
                            os.path.join(cls.root, layer), ignore=cls.uncopied)
        shutil.copy(os.path.join(ROOT, check.PAGE), cls.root)
        cls.written = {}
        cls.drop_statics()
        cls.write("build/release/CMakeCache.txt", "")
        for layer in ("kernels", "api"):
            cls.compile(layer, HARMLESS)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def setUp(self):
        self.written.clear()

    def tearDown(self):
        """Undoes what the test wrote."""
        for path, old in self.written.items():
            if old is None:
                os.remove(path)
            else:
                with open(path, "wb") as file:
                    file.write(old)
            with contextlib.suppress(OSError):  # not empty
                os.rmdir(os.path.dirname(path))

    @staticmethod
    def uncopied(folder, names):
        return [name for name in names if not name.endswith(COPIED) and
                not os.path.isdir(os.path.join(folder, name))]

    @classmethod
    def drop_statics(cls):
        """No object of the copy has the statics that are allowed today."""
        cls.write(f"{check.HERE}/statics.txt", "")

    @classmethod
    def remember(cls, path):
        """Returns the full path; tearDown() will undo the change."""
        path = os.path.join(cls.root, path)
        if path not in cls.written:
            cls.written[path] = None
            with contextlib.suppress(FileNotFoundError), \
                    open(path, "rb") as file:
                cls.written[path] = file.read()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    @classmethod
    def write(cls, path, text, mode="w"):
        with open(cls.remember(path), mode, encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def compile(cls, layer, text):
        """Writes planted.c in a room of `layer`, and its object."""
        room = {"kernels": "core", "api": "base"}[layer]
        cls.write(f"{layer}/{room}/planted.c", text)
        into = cls.remember(f"build/release/{layer}/CMakeFiles/{layer}.dir/"
                            f"{room}/planted.c.o")
        subprocess.run([CC, "-c", "-O2", "-fPIC", "-o", into,
                        f"{cls.root}/{layer}/{room}/planted.c"], check=True)

    def add(self, path, text):
        self.write(path, text, "a")

    def replace(self, path, old, new):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        self.write(path, text.replace(old, new, 1))

    def run_check(self):
        build = os.path.join(self.root, check.DEFAULT_BUILD)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            passed = check.check(self.root, build)
        return passed, out.getvalue()

    def fails_with(self, message):
        passed, out = self.run_check()
        self.assertFalse(passed)
        self.assertIn(message, out)

    def test_untouched_sources_pass(self):
        self.assertEqual(self.run_check(), (True, ""))

    def test_include_of_a_layer_above_fails(self):
        self.add("api/base/text.c", '#include "server/log/log.h"\n')
        self.fails_with("api/base/text.c may not include server/log/log.h")

    def test_include_of_another_room_fails(self):
        self.add("kernels/ops/op.c", '#include "kernels/move/move.h"\n')
        self.fails_with("no arrow from kernels/ops to kernels/move")

    def test_include_of_a_library_fails(self):
        self.add("kernels/core/status.c", "#include <jansson.h>\n")
        self.fails_with("kernels/core/status.c may not include <jansson.h>")

    def test_include_of_a_stranger_fails(self):
        self.add("server/log/log.c", "#include <curl/curl.h>\n")
        self.fails_with("server/log/log.c may not include <curl/curl.h>")

    def test_test_obeys_the_rule_of_its_room(self):
        self.add("tests/kernels/core/test_status.c", '#include "api/api.h"\n')
        self.fails_with("test_status.c may not include api/api.h")

    def test_product_may_not_include_a_test(self):
        self.add("kernels/core/status.c", '#include "tests/unit.h"\n')
        self.fails_with("kernels/core/status.c may not include tests/unit.h")

    def test_circle_of_files_fails(self):
        self.add("kernels/core/ping.h", '#include "kernels/core/pong.h"\n')
        self.add("kernels/core/pong.c", '#include "kernels/core/ping.h"\n')
        self.add("kernels/core/pong.h", "int pong(void);\n")
        self.fails_with("circle of files: kernels/core/ping kernels/core/pong")

    def test_type_of_a_room_above_fails(self):
        self.add("server/log/planted.h", "struct planted_line {\n int x;\n};\n")
        self.add("kernels/core/planted.h", "struct planted_line;\n")
        self.fails_with("kernels/core/planted.h may not name planted_line")

    def test_type_in_a_comment_passes(self):
        self.add("kernels/core/status.h", "/* unlike struct api_request */\n")
        self.assertEqual(self.run_check(), (True, ""))

    def test_writable_static_fails(self):
        self.compile("kernels", "int planted(void);\n"
                     "int planted(void)\n{\n    static int counter;\n"
                     "    return ++counter;\n}\n")
        self.fails_with("kernels/core/planted.c has the writable static counter")

    def test_static_of_each_thread_fails(self):
        self.compile("api", "_Thread_local int planted_depth = 1;\n")
        self.fails_with("api/base/planted.c has the writable static "
                        "planted_depth")

    def test_constant_table_of_pointers_passes(self):
        self.compile("api", 'extern const char *const words[];\n'
                     'const char *const words[] = {"a", "b"};\n')
        self.assertEqual(self.run_check(), (True, ""))

    def test_instrumented_build_is_not_asked_for_statics(self):
        self.add("build/release/CMakeCache.txt", "SANITIZE:STRING=address\n")
        passed, out = self.run_check()
        self.assertTrue(passed)
        self.assertIn("instrumented", out)

    def test_missing_build_says_what_to_build(self):
        os.remove(self.remember("build/release/CMakeCache.txt"))
        with self.assertRaisesRegex(SystemExit, "cmake --preset release"):
            self.run_check()

    def test_stale_picture_fails(self):
        self.replace(check.PAGE, "server/net -->", "server/net & server -->")
        self.fails_with("CONTRIBUTING.md has not the picture of rooms.txt")

    def test_folder_without_a_block_fails(self):
        self.add("kernels/attic/old.c", "int old;\n")
        self.fails_with("kernels/attic has no block")

    def test_block_without_a_folder_fails(self):
        self.add("tests/layers/rooms.txt", "kernels/cellar: empty\n")
        self.fails_with("has a block kernels/cellar, there is no such folder")

    def test_circle_of_blocks_fails(self):
        self.replace("tests/layers/rooms.txt", "kernels/ops: ",
                     "kernels/ops:\n    may include kernels/move\n#")
        with self.assertRaisesRegex(SystemExit, "kernels/move kernels/ops"):
            self.run_check()

    def test_silent_build_file_fails(self):
        self.write("server/log/CMakeLists.txt", "\n")
        self.fails_with("server/log/CMakeLists.txt does not open with a comment")

    def test_arrow_without_need_fails(self):
        self.replace("tests/layers/rooms.txt", "kernels/ops: ",
                     "kernels/ops: a\n    may include kernels/simd\n#")
        self.fails_with("rooms.txt, kernels/ops: nothing there has to include "
                        "kernels/simd")

    def test_exception_without_need_fails(self):
        self.add("tests/layers/statics.txt", "api/base/text.c gone | no reason\n")
        self.fails_with("no longer needed: api/base/text.c gone")


if __name__ == "__main__":
    unittest.main()
