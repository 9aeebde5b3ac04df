"""Tests of the check for copies: some are planted in a small tree. Usage:
test_copies.py [TEST...]"""
import os
import subprocess
import tempfile
import unittest

import copies


class Copies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("a/one", 21)

    def write(self, name, lines):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in range(lines)))

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True, capture_output=True)

    def test_a_planted_copy_is_reported(self):
        self.write("b/two", 21)
        self.write("b/other", 22)
        self.assertEqual(copies.copies(self.root), [["a/one", "b/two"]])
        self.assertTrue(copies.main(self.root))

    def test_a_link_and_a_short_copy_are_none(self):
        os.symlink("one", os.path.join(self.root, "a/link"))
        self.write("a/short", 20)
        self.write("b/short", 20)
        self.assertEqual(copies.copies(self.root), [])
        self.assertFalse(copies.main(self.root))

    def test_with_git_its_files_count_alone(self):
        self.git("init", "-q")
        self.git("add", "a/one")
        self.write("b/two", 21)
        self.assertEqual(copies.copies(self.root), [])
        self.git("add", "b/two")
        self.assertEqual(copies.copies(self.root), [["a/one", "b/two"]])

    def test_without_git_what_is_built_does_not_count(self):
        self.write("build/two", 21)
        self.assertEqual(copies.copies(self.root), [])


if __name__ == "__main__":
    unittest.main()
