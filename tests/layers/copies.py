"""No two files of the tree have the same content, unless it is short: a file that two
places need is one file and a symbolic link, or is copied when it is packed.

Usage: copies.py ROOT
Prints each group of equal files; exit code 1 if there is one."""
import collections
import hashlib
import os
import subprocess
import sys

LONGEST = 20  # lines that may stand twice
BUILT = {".git", ".deps", "build", "__pycache__"}


def committed(root):
    """The names of the files that git knows, or where it knows none, of those that no
    build makes."""
    said = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True,
                          check=False).stdout
    if said:
        return [os.fsdecode(name) for name in said.split(b"\0") if name]
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if one not in BUILT]
        names += [os.path.relpath(f"{folder}/{one}", root) for one in files]
    return names


def copies(root):
    """The groups of files that are equal and long."""
    groups = collections.defaultdict(list)
    for name in sorted(committed(root)):
        path = os.path.join(root, name)
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            content = file.read()
        if content.count(b"\n") > LONGEST:
            groups[hashlib.sha256(content).digest()].append(name)
    return [names for names in groups.values() if len(names) > 1]


def main(root):
    found = copies(root)
    for names in found:
        print("the same content:", *names)
    print(f"{len(committed(root))} files, {len(found)} copies")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
