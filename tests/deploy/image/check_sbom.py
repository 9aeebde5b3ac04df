"""Checks an image's bill of materials: SPDX's own tools read and validate it, and it
names what the list of packages names, no more and no less.

Usage: check_sbom.py FOLDER, the /usr/share/doc/flipd of an image"""
import sys

from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document


def main(folder):
    document = parse_file(f"{folder}/sbom.spdx.json")
    faults = [one.validation_message
              for one in validate_full_spdx_document(document, "SPDX-2.3")]
    with open(f"{folder}/packages", encoding="utf-8") as file:
        wanted = {line.split("@")[0] for line in file.read().split()}
    found = {f"{one.name}={one.version}" for one in document.packages[2:]}
    faults += [f"only in the list: {one}" for one in wanted - found]
    faults += [f"only in the bill: {one}" for one in found - wanted]
    linked = document.packages[2]
    if linked.name != "libmicrohttpd" or len(linked.checksums[0].value) != 64:
        faults.append("libmicrohttpd has no checksum")
    print(*faults, f"{len(document.packages)} packages", sep="\n")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
